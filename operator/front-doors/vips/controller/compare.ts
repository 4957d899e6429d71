import { IP_NETWORK } from '../../../contract/paas';
import { SERVICE } from '../../../contract/service-identity';
import { LOAD_BALANCER } from '../../../contract/service';
import { isIpamError } from '../../../errors/ipam-error';
import { decideService } from '../../../rules/vips';
import type { VipKey } from './door-parts';
import type { VipsContext } from './context';
import { reconcileGroup } from './groups';
import { isMissing } from './orphan';
import { heldRecords } from './record';
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
  const due = parts.services.list().flatMap((raw) => {
    const stored = readVipService(raw);
    return stored !== undefined && concerns(context, stored) ? [stored] : [];
  });
  await restoreAll(context, due);
  due.sort((a, b) => a.createdMs - b.createdMs || (a.view.name < b.view.name ? -1 : 1));
  return [
    ...due.map(({ key }): VipKey => ({ of: 'service', ...key })),
    ...groups.plans().map(({ group }): VipKey => ({ of: 'group', name: group.name })),
    ...orphans(context),
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

// Most Services of a cluster are none of this door, and nothing is to be done for them.
function concerns(context: VipsContext, stored: VipService): boolean {
  const { view, condition, hasOldFinalizer } = stored;
  if (condition !== undefined || hasOldFinalizer) return true;
  if (heldRecords(context.parts.known, view).length > 0) return true;
  return view.type === LOAD_BALANCER && factsOf(context.parts, stored).isOurs;
}

async function restoreAll(context: VipsContext, due: readonly VipService[]): Promise<void> {
  const shows = due.filter(({ shown }) => shown.length > 0);
  let restored = 0;
  for (let from = 0; from < shows.length; from += AT_ONCE) {
    const batch = shows.slice(from, from + AT_ONCE);
    const done = await Promise.all(batch.map((each) => restore(context, each)));
    restored += done.filter((each) => each).length;
  }
  const services = { services: due.length, showing: shows.length, restored };
  if (restored > 0) context.parts.logger.warn('addresses that services show were put on record', services);
  else context.parts.logger.info('services compared with the record', services);
}

async function restore(context: VipsContext, listed: VipService): Promise<boolean> {
  if (!needsRestore(context, listed)) return false;
  // the list is a moment old, and what is taken for a Service that is gone would have to be given back
  const stored = readVipService(await context.parts.cluster.service(listed.view.namespace, listed.view.name));
  if (stored?.key.uid !== listed.key.uid || !needsRestore(context, stored)) return false;
  const facts = factsOf(context.parts, stored);
  const decision = decideService(facts, viewFor(context, facts.service));
  if (decision.act !== 'serve') return false;
  // what was overtaken is decided again with everything else
  return (await putOnRecord(context, { decision, facts })) === 'done';
}

function needsRestore(context: VipsContext, stored: VipService): boolean {
  const facts = factsOf(context.parts, stored);
  const decision = decideService(facts, viewFor(context, facts.service));
  return decision.act === 'serve' && decision.restore.length + decision.rebind.length > 0;
}

function orphans(context: VipsContext): readonly VipKey[] {
  const records = context.parts.known.find({ by: 'cluster', cluster: '' });
  const missing = records.filter(
    ({ network, state, holders }) =>
      network === IP_NETWORK &&
      state === 'held' &&
      holders.some((each) => each.owner.kind === SERVICE.kind && isMissing(context, each)),
  );
  return missing.map(({ address }) => ({ of: 'orphan', address }));
}
