import type { AddressRecord, Holder } from '../../ports/claims';
import type { ClusterRename } from '../../ports/cluster-renames';
import type { MemoryRecords } from './memory-records';

/**
 * Gives every record of a cluster to another identity.
 *
 * @param records - all of them
 * @param rename - both identities, and the keys that name them
 * @param nowMs - the present
 * @returns how many holders have the new identity
 */
export function renameAll(records: MemoryRecords, rename: ClusterRename, nowMs: number): number {
  let claims = 0;
  records.past.rename(rename);
  renameUses(records, rename, nowMs);
  records.left.change((holder) => renamedHolder(holder, rename));
  for (const record of records.live(nowMs)) {
    const next = renamed(record, rename);
    if (next === undefined) continue;
    claims += next.holders.filter(({ owner }) => owner.cluster === rename.to).length;
    records.change(record, { ...next, version: records.nextVersion() }, nowMs);
  }
  // what changed a moment ago is noted under its former name
  records.past.rename(rename);
  return claims;
}

// Where both identities show an address, what the new one shows stays.
function renameUses(records: MemoryRecords, { from, to }: ClusterRename, nowMs: number): void {
  for (const { cluster, network, address, source, weight } of records.uses.all()) {
    if (cluster !== from) continue;
    const isShown = records.uses.at({ network, address }).some((each) => each.cluster === to);
    if (!isShown) records.uses.write({ cluster: to, network, address, use: { source, weight } });
    records.uses.write({ cluster: from, network, address });
    records.settleUse({ network, address }, nowMs);
  }
}

function renamed(record: AddressRecord, rename: ClusterRename): AddressRecord | undefined {
  const { holders, quarantine } = record;
  const isOf = (holder: Holder): boolean => isOfCluster(holder, rename);
  const isNamed = holders.some(isOf) || (quarantine !== undefined && isOf(quarantine.former));
  if (!isNamed) return undefined;
  const change = (holder: Holder): Holder => renamedHolder(holder, rename);
  return {
    ...record,
    holders: holders.map(change),
    ...(quarantine === undefined ? {} : { quarantine: { ...quarantine, former: change(quarantine.former) } }),
  };
}

function isOfCluster({ owner }: Holder, { from }: ClusterRename): boolean {
  return owner.cluster === from;
}

function renamedHolder(holder: Holder, rename: ClusterRename): Holder {
  if (!isOfCluster(holder, rename)) return holder;
  const { to, keys } = rename;
  const { key } = holder;
  const named = keys.find(({ from }) => key?.startsWith(from) === true);
  const next = named === undefined || key === undefined ? {} : { key: `${named.to}${key.slice(named.from.length)}` };
  return { ...holder, ...next, owner: { ...holder.owner, cluster: to } };
}
