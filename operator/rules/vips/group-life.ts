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
 * Count to which one address that is not free belongs, in one group. Held ones: given from what the group gives now (`inside`), from a part of its
 * segments that another group or door has (`beside`), excluded meanwhile, or outside of its segments.
 */
export type CountedAs = 'inside' | 'beside' | 'excluded' | 'outOfRange' | 'quarantined' | 'foreign';

/** How many addresses count as what. */
export type UseCounts = Readonly<Record<CountedAs, number>>;

/** No address at all. */
export const NO_USES: UseCounts = { inside: 0, beside: 0, excluded: 0, outOfRange: 0, quarantined: 0, foreign: 0 };

/**
 * Tells what an address counts as.
 *
 * @param group - the one that is looked at
 * @param address - any address
 * @param use - held or quarantined by a record of this group, or in use without a claim
 * @returns undefined where the group has no place for it
 */
export function countedAs(
  { segments, usable, excluded }: VipGroup,
  address: Address,
  use: keyof GroupUses,
): CountedAs | undefined {
  if (usable.contains(address)) return use === 'held' ? 'inside' : use;
  if (use !== 'held') return undefined;
  if (!segments.contains(address)) return 'outOfRange';
  return excluded.contains(address) ? 'excluded' : 'beside';
}

/** Counts of a group. */
interface GroupSums {
  /** How many of its addresses count as what. */
  readonly counts: UseCounts;
  /** How many more are in prefixes in use; foreign ones. */
  readonly inBlocks?: bigint;
  /** Absent: both together. */
  readonly family?: Family;
}

/**
 * Sums the counters of a group up. Allocated, free, quarantined and foreign addresses make up the total.
 *
 * @param group - the one that is looked at
 * @param sums - what is counted of it
 * @returns the counters
 */
export function sumGroup({ usable, segments, excluded }: VipGroup, sums: GroupSums): GroupCounts {
  const { family, inBlocks = 0n } = sums;
  const { inside, beside, quarantined, outOfRange, excluded: heldExcluded } = sums.counts;
  const foreign = BigInt(sums.counts.foreign) + inBlocks;
  const allocated = inside + beside + heldExcluded;
  const total = usable.count(family) + BigInt(beside + heldExcluded);
  return {
    total: total.toString(),
    allocated: allocated.toString(),
    free: (total - BigInt(allocated + quarantined) - foreign).toString(),
    excluded: (segments.intersect(excluded).count(family) - BigInt(heldExcluded)).toString(),
    quarantined: quarantined.toString(),
    foreign: foreign.toString(),
    outOfRange: outOfRange.toString(),
  };
}

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
