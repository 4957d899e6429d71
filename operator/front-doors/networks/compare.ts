import { blockOf } from '../../addressing/space-text';
import { metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import type { EntryOwner } from '../../contract/networks/entry';
import type { AddressRecord } from '../../ports/claims';
import { readInstance } from '../../rules/networks';
import { adoptAll } from './adoption';
import type { NetworksContext } from './context';
import type { NetworksKey, ObjectWork } from './door-parts';
import { byAge, feedOf, keyOf, OWN_CLUSTER, ownerOf, workOfKind } from './objects';
import { objectOwners, stateOf } from './orphans';
import { rebind } from './record';

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
  const { instances, prefixes, allocations, namespaces, shown } = parts;
  await Promise.all([instances, prefixes, allocations, namespaces].map((feed) => feed.whenSynced()));
  await shown.whenKnown();
  const records = parts.known
    .find({ by: 'cluster', cluster: OWN_CLUSTER })
    .filter(({ holders }) => holders.some(({ owner }) => workOfKind(owner.kind) !== undefined));
  const rebound = await rebindAll(context, records);
  const restored = await adoptAll(context);
  countEntries(context);
  const missing = orphansOf(context, records);
  parts.logger.info('objects of networks were compared with the record', {
    ...{ instances: instances.list().length, prefixes: prefixes.list().length },
    ...{ allocations: allocations.list().length, entries: records.length, rebound, restored },
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
  const due = new Map<string, { readonly network: string; readonly owner: EntryOwner }>();
  for (const { network, holders } of records)
    for (const { owner } of holders)
      if (stateOf(context, owner) === 'other')
        due.set(`${network} ${owner.kind} ${owner.uid ?? ''}`, { network, owner });
  for (const { network, owner } of due.values()) await rebindOne(context, network, owner);
  return due.size;
}

async function rebindOne({ parts }: NetworksContext, network: string, owner: EntryOwner): Promise<void> {
  const of = workOfKind(owner.kind);
  const object = of && feedOf(parts, of).get(owner.namespace, owner.name);
  if (of === undefined || object === undefined) return;
  const to = ownerOf(parts, { of, ...owner, uid: textOf(metadataOf(object)['uid']) });
  await rebind(parts, network, { from: owner, to });
  parts.meter.count('network_repairs_total', { kind: 'rebound' });
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
