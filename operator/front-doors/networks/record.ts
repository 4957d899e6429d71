import type { EntryOwner, NetworkEntry } from '../../contract/networks/entry';
import type { Prefix } from '../../addressing/prefix';
import { valueOf } from '../../errors/ipam-error';
import { decideRebind, decideRelease } from '../../rules/networks';
import type { NamedObject } from '../../rules/networks/types';
import type { NetworksDoorParts } from './door-parts';

/** Entry that a release left on record, with the objects that use it. */
export interface Released {
  readonly left: readonly NetworkEntry[];
  readonly users: readonly NamedObject[];
}

/**
 * Lists the networks in which an owner holds or uses something.
 *
 * @param parts - the record
 * @param owner - of entries
 * @returns names of networks on record
 */
export function networksOf({ known }: Pick<NetworksDoorParts, 'known'>, owner: EntryOwner): readonly string[] {
  const { cluster, namespace, name, kind, uid } = owner;
  const byName = known.find({ by: 'name', cluster, namespace, name });
  const byUid = uid === undefined ? [] : known.find({ by: 'uid', uid });
  const own = [...byName, ...byUid].filter(({ holders }) =>
    holders.some((each) => each.owner.kind === kind && (each.owner.uid ?? uid) === uid),
  );
  return [...new Set(own.map(({ network }) => network))];
}

/**
 * Ends what an owner holds and uses, as far as nothing uses it.
 *
 * @param parts - the record
 * @param owner - of entries
 * @param only - these entries; all by default
 * @returns what is left
 * @throws IpamError of the record
 */
export async function release(
  parts: Pick<NetworksDoorParts, 'known' | 'tables'>,
  owner: EntryOwner,
  only?: readonly Prefix[],
): Promise<Released> {
  const left: NetworkEntry[] = [];
  const users: NamedObject[] = [];
  for (const network of networksOf(parts, owner)) {
    const released = valueOf(await parts.tables.decide(network, (table) => decideRelease(table, owner, only)));
    left.push(...released.left);
    users.push(...released.users);
  }
  return { left, users };
}

/**
 * Gives the entries of an owner to another one.
 *
 * @param parts - the record
 * @param network - on record
 * @param owners - both
 * @param owners.from - owner on record
 * @param owners.to - owner as it is now
 * @throws IpamError of the record
 */
export async function rebind(
  { tables }: Pick<NetworksDoorParts, 'tables'>,
  network: string,
  { from, to }: { readonly from: EntryOwner; readonly to: EntryOwner },
): Promise<void> {
  let left = 1;
  while (left > 0) left = valueOf(await tables.decide(network, (table) => decideRebind(table, from, to)));
}
