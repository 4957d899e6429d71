import { blockOf } from '../../addressing/space-text';
import type { JsonMap } from '../../contract/loose-json';
import type { EntryOwner } from '../../contract/networks/entry';
import { isOutage } from '../../errors/outage';
import { faultFields } from '../../errors/trace';
import type { AddressRecord } from '../../ports/claims';
import { readInstance } from '../../rules/networks';
import { adoptAll } from './adoption';
import type { NetworksContext } from './context';
import type { NetworksKey, ObjectWork } from './door-parts';
import { byAge, feedOf, keyOf, OWN_CLUSTER, workOfKind } from './objects';
import { objectOwners, stateOf } from './orphans';
import { rebindTo, type FormerOwner } from './rebinding';

/**
 * Compares everything that is stored with the record. Entries of objects that were made anew under their name, as after a restore, go over
 * to these, and what objects show without a claim comes on record, before anything is given.
 *
 * @param context - of the controller
 * @returns every object, those that are made first before others, and the entries whose objects are missing
 * @throws IpamError of record or cluster; nothing is decided then
 */
export async function compareAll(context: NetworksContext): Promise<readonly NetworksKey[]> {
  const { parts } = context;
  const { instances, prefixes, allocations, namespaces, shown, strongerPools } = parts;
  await Promise.all([instances, prefixes, allocations, namespaces].map((feed) => feed.whenSynced()));
  await Promise.all([shown.whenKnown(), ...strongerPools.map((pools) => pools.whenKnown?.())]);
  const records = parts.known
    .find({ by: 'cluster', cluster: OWN_CLUSTER })
    .filter(({ holders }) => holders.some(({ owner }) => workOfKind(owner.kind) !== undefined));
  const rebound = await rebindAll(context, records);
  const restored = await adoptAll(context);
  for (const restore of context.giving.restorers) await restore();
  context.giving.isOpen = true;
  countEntries(context);
  const missing = orphansOf(context, records);
  parts.logger.info('objects of networks were compared with the record', {
    instances: instances.list().length,
    prefixes: prefixes.list().length,
    allocations: allocations.list().length,
    entries: records.length,
    rebound,
    restored,
    missing: missing.length,
  });
  return [...keysOf(context, 'instance'), ...keysOf(context, 'prefix'), ...keysOf(context, 'allocation'), ...missing];
}

function keysOf({ parts }: NetworksContext, of: ObjectWork): readonly NetworksKey[] {
  return [...feedOf(parts, of).list()].sort(byAge).map((object: JsonMap) => keyOf(of, object));
}

function countEntries({ parts, counts }: NetworksContext): void {
  counts.clear();
  for (const object of parts.instances.list()) {
    const { network } = readInstance(object);
    counts.set(network, parts.tables.page(network, { most: Number.MAX_SAFE_INTEGER }).length);
  }
}

async function rebindAll(context: NetworksContext, records: readonly AddressRecord[]): Promise<number> {
  const due = new Map<string, Map<string, EntryOwner>>();
  for (const { network, holders } of records)
    for (const { owner } of holders) {
      if (stateOf(context, owner) !== 'other') continue;
      const owners = due.get(network) ?? new Map<string, EntryOwner>();
      due.set(network, owners.set(`${owner.kind} ${owner.uid ?? ''}`, owner));
    }
  let rebound = 0;
  for (const [network, owners] of due) rebound += await rebindIn(context, network, [...owners.values()]);
  return rebound;
}

// A refusal concerns one network: what is left of it is tried again with each of its objects.
async function rebindIn(context: NetworksContext, network: string, owners: readonly EntryOwner[]): Promise<number> {
  let rebound = 0;
  try {
    for (const owner of owners) if (await rebindOne(context, { network, owner })) rebound += 1;
  } catch (thrown) {
    if (isOutage(thrown)) throw thrown;
    context.parts.logger.warn('objects that were made anew have not what is on record for them', {
      network,
      ...faultFields(thrown),
    });
  }
  return rebound;
}

async function rebindOne(context: NetworksContext, former: FormerOwner): Promise<boolean> {
  const { kind, namespace, name } = former.owner;
  const of = workOfKind(kind);
  const object = of && feedOf(context.parts, of).get(namespace, name);
  if (of === undefined || object === undefined) return false;
  return rebindTo(context, keyOf(of, object), former);
}

function orphansOf(context: NetworksContext, records: readonly AddressRecord[]): readonly NetworksKey[] {
  return records.flatMap((record): NetworksKey[] => {
    const { network } = record;
    const block = blockOf(record);
    const entry = context.parts.tables.look(network, (table) => table.at(block));
    const isMissing = entry !== undefined && objectOwners(entry).some((each) => stateOf(context, each) === 'missing');
    return isMissing ? [{ of: 'orphan', network, block }] : [];
  });
}
