import type { Address, Family } from '../../addressing/address';
import { listOfHolders } from './refusals';
import type { ServiceName, VipGroup } from './types';

/** Addresses of one group, by their use. */
export interface GroupUses {
  /** Addresses that are held and were given from this group. */
  readonly held: readonly Address[];
  readonly quarantined: readonly Address[];
  /** In use without a claim. */
  readonly foreign: readonly Address[];
}

/** Counters of a group's status: decimal text, since they grow beyond what a JSON number can tell. */
export interface GroupCounts {
  readonly total: string;
  readonly allocated: string;
  readonly free: string;
  readonly excluded: string;
  readonly quarantined: string;
  readonly foreign: string;
  readonly outOfRange: string;
}

/**
 * Counts the addresses of a group. Allocated, free, quarantined and foreign ones make up the total.
 *
 * @param group - the one that is looked at
 * @param uses - addresses that are not free
 * @param family - one of both; absent: both together
 * @returns the counters
 */
export function countGroup({ usable, segments, excluded }: VipGroup, uses: GroupUses, family?: Family): GroupCounts {
  const held = ofFamily(uses.held, family);
  const inside = held.filter((address) => segments.contains(address));
  const beside = inside.filter((address) => !usable.contains(address));
  const heldExcluded = inside.filter((address) => excluded.contains(address));
  const taken = new Set(inside.map(String));
  const others = (list: readonly Address[]) =>
    ofFamily(list, family).filter((address) => usable.contains(address) && !taken.has(address.toString()));
  const quarantined = others(uses.quarantined).length;
  const foreign = others(uses.foreign).length;
  const total = usable.count(family) + BigInt(beside.length);
  return {
    total: total.toString(),
    allocated: inside.length.toString(),
    free: (total - BigInt(inside.length + quarantined + foreign)).toString(),
    excluded: (segments.intersect(excluded).count(family) - BigInt(heldExcluded.length)).toString(),
    quarantined: quarantined.toString(),
    foreign: foreign.toString(),
    outOfRange: (held.length - inside.length).toString(),
  };
}

const ofFamily = (list: readonly Address[], family: Family | undefined): readonly Address[] =>
  family === undefined ? list : list.filter((address) => address.family === family);

/** Whether the finalizer of a group stays, and the condition that says why. */
export interface GroupDeletion {
  readonly finalizer: 'keep' | 'off';
  readonly message: string;
}

/**
 * Decides whether a group may go: not while Services hold its addresses.
 *
 * @param name - as the API server has it
 * @param uses - addresses that were given from it
 * @returns what becomes of its finalizer
 */
export function decideGroupDeletion(
  name: string,
  uses: readonly { readonly address: Address; readonly holders: readonly ServiceName[] }[],
): GroupDeletion {
  if (uses.length === 0) return { finalizer: 'off', message: `no address of IPGroup ${name} is in use` };
  return { finalizer: 'keep', message: `addresses of IPGroup ${name} are in use by ${listOfHolders(uses)}` };
}

/**
 * Lists the addresses that a group excludes although they are held; their holders keep them, and they are not given out again.
 *
 * @param group - the one that is looked at
 * @param uses - addresses that were given from it
 * @returns a warning; undefined where there is none
 */
export function excludedInUse(
  { excluded, name }: Pick<VipGroup, 'excluded' | 'name'>,
  uses: readonly { readonly address: Address; readonly holders: readonly ServiceName[] }[],
): string | undefined {
  const found = uses.filter(({ address }) => excluded.contains(address));
  return found.length === 0
    ? undefined
    : `IPGroup ${name} excludes addresses in use, which their holders keep: ${listOfHolders(found)}`;
}
