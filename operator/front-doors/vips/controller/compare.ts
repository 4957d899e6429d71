import { IP_NETWORK } from '../../../contract/paas';
import { SERVICE } from '../../../contract/service-identity';
import { LOAD_BALANCER } from '../../../contract/service';
import { isIpamError } from '../../../errors/ipam-error';
import { isOutage } from '../../../errors/outage';
import { faultFields } from '../../../errors/trace';
import { forEachInTurn, othersFirst } from '../../../ledger/records/others-first';
import { decideService } from '../../../rules/vips';
import type { AddressRecord } from '../../../ports/claims';
import { nameOf } from '../../../rules/vips/refusals';
import type { ServiceDecision } from '../../../rules/vips/types';
import { reportComparison, type Comparison } from './comparison';
import type { VipKey } from './door-parts';
import type { VipsContext } from './context';
import { reconcileGroup } from './groups';
import { isMissing } from './orphan';
import { heldRecords, nameOfHolder } from './record';
import { putOnRecord } from './serve';
import { readVipService, type VipService } from './vip-service';
import { factsOf, viewFor } from './vips-view';

/** Services that are put on record at once. */
const AT_ONCE = 16;

/**
 * Compares everything that is stored with the record. What Services of this door show is put on record before anything else, so that
 * nothing new is given before every holder is known.
 *
 * @param context - of the controller
 * @returns the Services that need a look, those that are made first before others; every group; entries whose Services are missing
 * @throws IpamError of record or cluster; nothing is decided then
 */
export async function compareAll(context: VipsContext): Promise<readonly VipKey[]> {
  const { parts, groups } = context;
  const { services, shown, namespaces } = parts;
  await Promise.all([parts.groups, services, namespaces].map((feed) => feed.whenSynced()));
  await shown.whenKnown();
  context.families = await parts.cluster.families();
  await applyGroups(context);
  await parts.migration?.restore();
  context.inUse.retryUnrecorded();
  for (const restore of context.restorers) await restore();
  const due = await concerned(context);
  const found = await restoreAll(context, due);
  context.isGiving = true;
  const missing = orphans(context);
  reportComparison(parts.logger, {
    ...found,
    services: due.length,
    oldFinalizers: due.filter(({ hasOldFinalizer }) => hasOldFinalizer).length,
    missing: missing.map(
      ({ address, holders }) => `${holders.map(nameOfHolder).map(nameOf).join('+')}=${String(address)}`,
    ),
  });
  due.sort((a, b) => a.createdMs - b.createdMs || (a.view.name < b.view.name ? -1 : 1));
  return [
    ...due.map(({ key }): VipKey => ({ of: 'service', ...key })),
    ...groups.plans().map(({ group }): VipKey => ({ of: 'group', name: group.name })),
    ...missing.map(({ address }): VipKey => ({ of: 'orphan', address })),
  ];
}

/** Looks at groups whose status has to tell first what they give from, with a pause between two. */
const LOOKS = 20;
const LOOK_MS = 100;

// Groups of the older operator have no status, and what Services show can only be put on record for a group that gives.
async function applyGroups(context: VipsContext): Promise<void> {
  const { parts, groups } = context;
  for (let left = LOOKS; left > 0; left--) {
    groups.changed();
    const due = groups.plans().filter(({ apply }) => apply !== undefined);
    if (due.length === 0) return;
    await Promise.all(due.map(({ group }) => applyGroup(context, group.name)));
    await new Promise<void>((resolve) => {
      parts.clock.after(LOOK_MS, resolve);
    });
  }
}

// One group that cannot be written must not keep the others from being served.
async function applyGroup(context: VipsContext, name: string): Promise<void> {
  try {
    await reconcileGroup(context, name);
  } catch (thrown) {
    const code = isIpamError(thrown) ? thrown.code : 'internal';
    context.parts.logger.warn('status of an IPGroup was not written and is tried again', { name, code });
  }
}

async function concerned(context: VipsContext): Promise<VipService[]> {
  const due: VipService[] = [];
  await forEachInTurn(context.parts.services.list(), (raw) => {
    const stored = readVipService(raw);
    if (stored !== undefined && concerns(context, stored)) due.push(stored);
  });
  return due;
}

// Most Services of a cluster are none of this door, and nothing is to be done for them.
function concerns(context: VipsContext, stored: VipService): boolean {
  const { view, condition, hasOldFinalizer } = stored;
  if (condition !== undefined || hasOldFinalizer) return true;
  if (heldRecords(context.parts.known, view).length > 0) return true;
  return view.type === LOAD_BALANCER && factsOf(context.parts, stored).isOurs;
}

type Found = Pick<Comparison, 'showing' | 'bound' | 'restored' | 'conflicts'>;

async function restoreAll(context: VipsContext, due: readonly VipService[]): Promise<Found> {
  const shows = due.filter(({ shown, isHostNameShown }) => shown.length > 0 || isHostNameShown);
  const found: Record<Kind, string[]> = { same: [], bound: [], restored: [], conflict: [] };
  for (let from = 0; from < shows.length; from += AT_ONCE) {
    const batch = shows.slice(from, from + AT_ONCE);
    const kinds = await Promise.all(batch.map((each) => tryRestore(context, each)));
    await othersFirst();
    for (const [index, kind] of kinds.entries()) found[kind].push(entryOf(batch[index]));
  }
  return { showing: shows.length, bound: found.bound, restored: found.restored, conflicts: found.conflict };
}

function entryOf(stored: VipService | undefined): string {
  if (stored === undefined) return '';
  const { view, shown } = stored;
  return `${view.namespace}/${view.name}${shown.length === 0 ? '' : `=${shown.join('+')}`}`;
}

/** State of the record of a Service that shows something. */
type Kind = 'same' | 'bound' | 'restored' | 'conflict';

// One Service must not keep the others from being served; nothing gives the address that its status shows to another one meanwhile.
async function tryRestore(context: VipsContext, listed: VipService): Promise<Kind> {
  try {
    return await restore(context, listed);
  } catch (thrown) {
    if (isOutage(thrown)) throw thrown;
    const { namespace, name } = listed.view;
    const fields = { namespace, name, ...faultFields(thrown) };
    context.parts.logger.warn('what a Service shows was not put on record and is tried again', fields);
    return 'same';
  }
}

async function restore(context: VipsContext, listed: VipService): Promise<Kind> {
  const kind = kindOf(decide(context, listed).decision);
  if (kind === 'same' || kind === 'conflict') return kind;
  // the list is a moment old, and what is taken for a Service that is gone would have to be given back
  const stored = readVipService(await context.parts.cluster.service(listed.view.namespace, listed.view.name));
  if (stored?.key.uid !== listed.key.uid) return 'same';
  const { facts, decision } = decide(context, stored);
  const now = kindOf(decision);
  if (decision.act !== 'serve' || now === 'same') return now;
  // what was overtaken is decided again with everything else
  return (await putOnRecord(context, { decision, facts })) === 'done' ? now : 'same';
}

function decide(context: VipsContext, stored: VipService) {
  const facts = factsOf(context.parts, stored);
  return { facts, decision: decideService(facts, viewFor(context, facts.service)) };
}

function kindOf(decision: ServiceDecision): Kind {
  if (decision.act === 'leave') return decision.warning === undefined ? 'same' : 'conflict';
  if (decision.restore.length > 0) return 'restored';
  if (decision.isContested) return 'conflict';
  return decision.rebind.length > 0 ? 'bound' : 'same';
}

function orphans(context: VipsContext): readonly AddressRecord[] {
  const records = context.parts.known.find({ by: 'cluster', cluster: '' });
  return records.filter(
    ({ network, state, holders }) =>
      network === IP_NETWORK &&
      state === 'held' &&
      holders.some((each) => each.owner.kind === SERVICE.kind && isMissing(context, each)),
  );
}
