import type { Prefix } from '../../addressing/prefix';
import type { EntryDraft, EntryOwner, NetworkEntry } from '../../contract/networks/entry';
import type { EntryOwnerQuery, NetworkTable } from '../../contract/networks/table';
import type { Labels } from './labels';

/**
 * Tells whether two owners are one object. An object that was made anew under its name is another one.
 *
 * @param a - one owner
 * @param b - another one; UIDs count where both have one
 * @returns true for the same object
 */
export function isSameOwner(a: EntryOwnerQuery | undefined, b: EntryOwnerQuery): boolean {
  if (a === undefined || a.kind !== b.kind || a.namespace !== b.namespace || a.name !== b.name) return false;
  return a.uid === undefined || b.uid === undefined || a.uid === b.uid;
}

/**
 * Lists what an object holds.
 *
 * @param table - of the network
 * @param owner - the object
 * @returns entries of which it is the holder
 */
export function heldBy(table: NetworkTable, owner: EntryOwnerQuery): readonly NetworkEntry[] {
  return table.ofOwner(owner).filter((entry) => isSameOwner(entry.owner, owner));
}

function isSameText(a: Labels, b: Labels): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

const hasOwner = (a: EntryOwner | undefined, b: EntryOwner | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && isSameOwner(a, b) && a.uid === b.uid);

/** Facts in which an entry and its draft may differ; optional flags are absent or true. */
const FACTS = ['role', 'kind', 'networkName', 'isGateway', 'isStatic', 'range', 'request'] as const;

/**
 * Tells whether a stored entry says what a draft would write. The parent of a stored entry is the one that it was given from, which may
 * have got another one inside meanwhile.
 *
 * @param entry - stored
 * @param draft - as it would be written
 * @returns true where nothing is to be written
 */
export function isWritten(entry: NetworkEntry, draft: EntryDraft): boolean {
  return (
    entry.facts !== undefined &&
    FACTS.every((key) => (entry.facts?.[key] ?? '') === (draft.facts[key] ?? '')) &&
    isSameText(entry.labels, draft.labels) &&
    hasOwner(entry.owner, draft.owner) &&
    hasOwner(entry.user, draft.user)
  );
}

/**
 * Writes an entry again.
 *
 * @param entry - stored, with facts
 * @param change - fields that change
 * @returns the draft
 */
export function redraft(
  entry: NetworkEntry & { readonly facts: NonNullable<NetworkEntry['facts']> },
  change: Partial<EntryDraft>,
): EntryDraft {
  const { block, facts, labels, owner, user, door, key } = entry;
  return {
    block,
    facts,
    labels,
    owner,
    door,
    ...(user === undefined ? {} : { user }),
    ...(key === undefined ? {} : { key }),
    ...change,
  };
}

/**
 * Tells whether a block is one of some.
 *
 * @param block - any block
 * @param list - some blocks
 * @returns true for the same block
 */
export const isIn = (block: Prefix, list: readonly Prefix[]): boolean => list.some((each) => each.equals(block));

/** An entry that was not declared by hand. */
export type KnownEntry = NetworkEntry & { readonly facts: NonNullable<NetworkEntry['facts']> };

/**
 * Tells entries of the operator from those that were declared by hand.
 *
 * @param entry - any entry
 * @returns true where it says what it stands for
 */
export function isKnown(entry: NetworkEntry | undefined): entry is KnownEntry {
  return entry?.facts !== undefined;
}
