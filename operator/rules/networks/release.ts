import type { Prefix } from '../../addressing/prefix';
import type { EntryDraft, EntryOwner, NetworkEntry } from '../../contract/networks/entry';
import type { NetworkTable, TableVerdict } from '../../contract/networks/table';
import { isIn, isKnown, isSameOwner, redraft, type KnownEntry } from './owners';
import { relabelled } from './subnet-labels';
import type { NamedObject } from './types';
import { givenIn, subnetAround, usersOf } from './users';

/** Entries that a release leaves behind. */
export interface Released {
  /** Entries that stay, since others use them. */
  readonly left: readonly NetworkEntry[];
  readonly users: readonly NamedObject[];
}

/** Most entries that one decision changes; the record writes no more at once. */
const MOST_CHANGED = 24;

// The user of a host goes, and its holder stays.
function unbound(entry: KnownEntry): EntryDraft {
  const { request: _request, ...facts } = entry.facts;
  const { block, labels, owner, door } = entry;
  return { block, labels, owner, door, facts };
}

// The subnet goes with its last host where nothing else is inside, and with the last thing inside where no host is left.
function afterwards(
  table: NetworkTable,
  remove: readonly Prefix[],
  of: Prefix,
): { remove: readonly Prefix[]; put: readonly EntryDraft[] } {
  const subnet = subnetAround(table, of);
  if (subnet === undefined || isIn(subnet.block, remove)) return { remove: [], put: [] };
  const hosts = table.hosts(subnet.block).filter(({ block }) => !isIn(block, remove));
  if (hosts.length > 0) return { remove: [], put: relabelled(table, subnet, remove) };
  const given = givenIn(table, subnet.block, remove.length + 1).filter(({ block }) => !isIn(block, remove));
  return { remove: given.length === 0 ? [subnet.block] : [], put: [] };
}

/**
 * Releases what an owner holds or uses; what others use stays. Needs neither the conditions of the object nor its NetworkInstance.
 *
 * @param table - of the network
 * @param owner - the object that goes
 * @param only - blocks to which the release is limited
 * @returns what is left, and its users; to be called again while anything changes
 */
export function decideRelease(
  table: NetworkTable,
  owner: EntryOwner,
  only?: readonly Prefix[],
): TableVerdict<Released> {
  const all = table
    .ofOwner(owner)
    .filter(isKnown)
    .filter(({ block }) => only === undefined || isIn(block, only));
  const used = all.filter((entry) => !isSameOwner(entry.owner, owner) && isSameOwner(entry.user, owner));
  const own = all.filter((entry) => isSameOwner(entry.owner, owner));
  return releaseAll(table, own, used);
}

function releaseAll(
  table: NetworkTable,
  own: readonly KnownEntry[],
  used: readonly KnownEntry[],
): TableVerdict<Released> {
  // what an object was given inside of its own former prefix keeps that one from nothing
  const judged = own.map((entry) => ({
    entry,
    users: usersOf(table, entry).filter((user) => !isSameOwner(entry.owner, user)),
  }));
  const left = judged.filter(({ users }) => users.length > 0);
  const going = judged.filter(({ users }) => users.length === 0).slice(0, MOST_CHANGED);
  const put: EntryDraft[] = used.map(unbound);
  const remove: Prefix[] = going.map(({ entry }) => entry.block);
  for (const { entry } of going) {
    const then = entry.facts.kind === 'network' ? afterwards(table, remove, entry.block) : { remove: [], put: [] };
    remove.push(...then.remove);
    put.push(...then.put.filter(({ block }) => !put.some((each) => each.block.equals(block))));
  }
  const answer: Released = { left: left.map(({ entry }) => entry), users: left.flatMap(({ users }) => users) };
  if (put.length === 0 && remove.length === 0) return { as: 'answer', value: answer };
  return { as: 'change', put, remove, answer };
}

/**
 * Gives the entries of an object to another one, such as the same object under the UID that a restore gave it.
 *
 * @param table - of the network
 * @param from - owner on record
 * @param to - owner as it is now
 * @returns how many entries are left to rebind; to be called again while any is
 */
export function decideRebind(table: NetworkTable, from: EntryOwner, to: EntryOwner): TableVerdict<number> {
  const all = table
    .ofOwner(from)
    .filter(isKnown)
    .filter((entry) => [entry.owner, entry.user].some((each) => isSameOwner(each, from) && each?.uid !== to.uid));
  const put = all.slice(0, MOST_CHANGED).map((entry) =>
    redraft(entry, {
      ...(isSameOwner(entry.owner, from) ? { owner: to } : {}),
      ...(isSameOwner(entry.user, from) ? { user: to } : {}),
    }),
  );
  if (put.length === 0) return { as: 'answer', value: 0 };
  return { as: 'change', put, remove: [], answer: all.length - put.length };
}
