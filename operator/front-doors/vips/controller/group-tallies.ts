import { addressOf, type Address, type Family } from '../../../addressing/address';
import { PrefixSet } from '../../../addressing/prefix-set';
import { IP_NETWORK } from '../../../contract/paas';
import type { AddressRecord } from '../../../ports/claims';
import { countedAs, sumGroup } from '../../../rules/vips';
import {
  NO_USES,
  type CountedAs,
  type GroupCounts,
  type GroupUses,
  type UseCounts,
} from '../../../rules/vips/group-life';
import type { VipGroup } from '../../../rules/vips/types';
import type { VipsDoorParts } from './door-parts';
import type { InUse } from './in-use';
import { placeOf } from './record';

/** Use of an address by record and cluster, the same for every group. */
interface Use {
  readonly record: AddressRecord | undefined;
  readonly isOccupied: (network: string) => boolean;
}

/** Counters of one group as it is planned. */
export class GroupTally {
  group: VipGroup;
  /** Prefixes in use in the network of the group. */
  blocks = PrefixSet.EMPTY;
  readonly #uses = new Map<string, CountedAs>();
  readonly #excluded = new Map<string, Address>();
  readonly #counts: Readonly<Record<Family, Record<CountedAs, number>>> = { 4: { ...NO_USES }, 6: { ...NO_USES } };

  /**
   * Starts without an address.
   *
   * @param group - as it is planned
   */
  constructor(group: VipGroup) {
    this.group = group;
  }

  /**
   * Tells whether an address is held from the group.
   *
   * @returns true also for addresses outside of it
   */
  get isInUse(): boolean {
    return [4, 6].some((family) => {
      const { inside, beside, excluded, outOfRange } = this.#counts[family as Family];
      return inside + beside + excluded + outOfRange > 0;
    });
  }

  /**
   * Sums the counters up.
   *
   * @param family - one of both; absent: both together
   * @returns the counters
   */
  counts(family?: Family): GroupCounts {
    const counts = family === undefined ? together(this.#counts) : this.#counts[family];
    return sumGroup(this.group, {
      counts,
      inBlocks: this.#countInBlocks(family),
      ...(family === undefined ? {} : { family }),
    });
  }

  // What is counted by itself is not counted twice.
  #countInBlocks(family?: Family): bigint {
    const space = this.group.usable.intersect(this.blocks);
    if (space.isEmpty) return 0n;
    const counted = [...this.#uses.keys()].map(addressOf).filter((address) => space.contains(address));
    const ofFamily = counted.filter((address) => family === undefined || address.family === family);
    return space.count(family) - BigInt(ofFamily.length);
  }

  /**
   * Lists what is held although it is excluded.
   *
   * @returns addresses, also outside of the segments, in no particular order
   */
  excludedInUse(): readonly Address[] {
    return [...this.#excluded.values()];
  }

  /**
   * Counts an address anew.
   *
   * @param address - any address
   * @param use - as it is now
   */
  look(address: Address, { record, isOccupied }: Use): void {
    const before = this.#uses.get(address.toString());
    const use = useIn(this.group, record, isOccupied(this.group.network));
    if (use === undefined && before === undefined) return;
    const after = use === undefined ? undefined : countedAs(this.group, address, use);
    if (after !== before) this.#move(address, before, after);
  }

  #move(address: Address, before: CountedAs | undefined, after: CountedAs | undefined): void {
    const text = address.toString();
    const counts = this.#counts[address.family];
    if (before !== undefined) counts[before] -= 1;
    if (after !== undefined) counts[after] += 1;
    if (after === undefined) this.#uses.delete(text);
    else this.#uses.set(text, after);
    const isExcluded = after === 'excluded' || (after === 'outOfRange' && this.group.excluded.contains(address));
    if (isExcluded) this.#excluded.set(text, address);
    else this.#excluded.delete(text);
  }
}

/**
 * Counters of the groups. A change of the record, or of what the cluster shows, costs the same however many addresses are in use; a group is
 * counted in full when it is asked for the first time, and after each change of its plan.
 */
export class GroupTallies {
  readonly #known: VipsDoorParts['known'];
  readonly #inUse: Pick<InUse, 'occupied' | 'isOccupied' | 'blocksOf'>;
  readonly #tallies = new Map<string, GroupTally>();

  /**
   * Starts without a group.
   *
   * @param known - the record
   * @param inUse - what the cluster uses without a claim
   */
  constructor(known: VipsDoorParts['known'], inUse: Pick<InUse, 'occupied' | 'isOccupied' | 'blocksOf'>) {
    this.#known = known;
    this.#inUse = inUse;
  }

  /**
   * Gives the counters of a group.
   *
   * @param group - as it is planned
   * @returns the counters, which go on with each {@link look}
   */
  of(group: VipGroup): GroupTally {
    const tally = this.#tallyOf(group);
    tally.blocks = this.#inUse.blocksOf(group.network);
    return tally;
  }

  #tallyOf(group: VipGroup): GroupTally {
    const known = this.#tallies.get(group.name);
    if (known !== undefined && hasSameSpace(known.group, group)) {
      known.group = group;
      return known;
    }
    const tally = new GroupTally(group);
    const own = this.#known.find({ by: 'pool', network: IP_NETWORK, pool: group.name });
    for (const { address } of [...own, ...this.#known.within(IP_NETWORK, group.usable)])
      tally.look(address, this.#useOf(address));
    for (const address of this.#inUse.occupied()) tally.look(address, this.#useOf(address));
    this.#tallies.set(group.name, tally);
    return tally;
  }

  /**
   * Counts an address anew: its record, or what shows it, changed.
   *
   * @param address - any address
   */
  look(address: Address): void {
    const use = this.#useOf(address);
    for (const tally of this.#tallies.values()) tally.look(address, use);
  }

  /**
   * Forgets a group.
   *
   * @param name - of one that is gone
   */
  forget(name: string): void {
    this.#tallies.delete(name);
  }

  #useOf(address: Address): Use {
    return {
      record: this.#known.at(placeOf(address)),
      isOccupied: (network) => this.#inUse.isOccupied(address, network),
    };
  }
}

// What another group or none has on record is not free here either.
function useIn(
  { name }: VipGroup,
  record: AddressRecord | undefined,
  isOccupied: boolean,
): keyof GroupUses | undefined {
  if (record?.pool === name) return record.state;
  if (isOccupied || record?.state === 'held') return 'foreign';
  return record?.state;
}

// A plan is made anew for many reasons that change no space.
const hasSameSpace = (a: VipGroup, b: VipGroup): boolean =>
  a === b ||
  (a.network === b.network &&
    (['segments', 'usable', 'excluded'] as const).every((field) => a[field].equals(b[field])));

function together(counts: Readonly<Record<Family, UseCounts>>): UseCounts {
  const sums = Object.entries(counts[4]).map(([use, count]) => [use, count + counts[6][use as CountedAs]]);
  return Object.fromEntries(sums) as UseCounts;
}
