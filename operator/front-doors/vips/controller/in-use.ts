import type { Address, Family } from '../../../addressing/address';
import { PrefixSet, PrefixSetBuilder } from '../../../addressing/prefix-set';
import { spacesOf } from '../../../rules/vips';
import type { VipGroup } from '../../../rules/vips/types';
import type { AddressShowing } from '../../../ports/addresses-in-use';
import type { VipsDoorParts } from './door-parts';
import { placeOf } from './record';

/** How the cluster uses an address that is not on record. */
type Use = 'occupied' | 'avoided';

/** An address in use: in every network by one weight, and in some by claims of other doors. */
interface UsedAddress {
  readonly address: Address;
  readonly everywhere: Use | undefined;
  readonly networks: readonly string[];
}

/** Spaces of a group as it was planned, by family. */
interface KnownSpaces {
  readonly group: VipGroup;
  readonly byFamily: Map<Family, readonly PrefixSet[]>;
}

/**
 * Addresses that the cluster uses without a claim of this door; each change costs the same, however many there are. The spaces of a group
 * are made anew where something in its segments changed.
 */
export class InUse {
  readonly #parts: Pick<VipsDoorParts, 'known' | 'shown'>;
  readonly #uses = new Map<string, UsedAddress>();
  /** Addresses that stored objects have, and that could not be put on record. */
  readonly #unrecorded = new Map<string, Address>();
  /** By network, the one without addresses that are only avoided last. */
  readonly #sets = new Map<string, readonly [all: PrefixSet, occupied: PrefixSet]>();
  readonly #blocks = new Map<string, PrefixSet>();
  /** By the name of the group. */
  readonly #spaces = new Map<string, KnownSpaces>();

  /**
   * Reads what is shown by now.
   *
   * @param parts - record, and what the cluster shows
   */
  constructor(parts: Pick<VipsDoorParts, 'known' | 'shown'>) {
    this.#parts = parts;
    for (const address of parts.shown.addresses()) this.look(address);
  }

  /**
   * Looks at an address again: what shows it, or the record of it, changed.
   *
   * @param address - any address
   */
  look(address: Address): void {
    const text = address.toString();
    const use = this.#useOf(address);
    if (isSame(use, this.#uses.get(text))) return;
    if (use === undefined) this.#uses.delete(text);
    else this.#uses.set(text, use);
    this.#sets.clear();
    for (const [name, { group }] of this.#spaces) if (group.segments.contains(address)) this.#spaces.delete(name);
  }

  /** Looks at the prefixes in use again: what shows one changed. */
  blocksChanged(): void {
    this.#blocks.clear();
    this.#sets.clear();
    this.#spaces.clear();
  }

  /**
   * Gives the spaces to take an address from.
   *
   * @param group - as it is planned
   * @param family - of the wanted address
   * @returns spaces, each to be tried with its lowest free address; what Services claim by their own word comes last
   */
  spacesOf(group: VipGroup, family: Family): readonly PrefixSet[] {
    const known = this.#spaces.get(group.name);
    const { byFamily } = known?.group === group ? known : this.#keepSpaces(group);
    const spaces = byFamily.get(family) ?? this.#build(group, family);
    byFamily.set(family, spaces);
    return spaces;
  }

  /**
   * Tells whether an address is in use by itself, in no prefix.
   *
   * @param address - any address
   * @param network - of the group that would give it
   * @returns true for one that is never given
   */
  isOccupied(address: Address, network: string): boolean {
    const use = this.#uses.get(address.toString());
    return use !== undefined && occupies(use, network);
  }

  /**
   * Lists addresses in use, one by one.
   *
   * @returns those that are never given, in one network at least
   */
  occupied(): readonly Address[] {
    const uses = [...this.#uses.values()].filter(
      ({ everywhere, networks }) => everywhere === 'occupied' || networks.length > 0,
    );
    return uses.map(({ address }) => address);
  }

  /**
   * Gives the prefixes in use.
   *
   * @param network - where they are
   * @returns their space, of which nothing is given
   */
  blocksOf(network: string): PrefixSet {
    const known = this.#blocks.get(network);
    if (known !== undefined) return known;
    const blocks = this.#parts.shown.blocks().filter(({ networks }) => networks.includes(network));
    const space = PrefixSet.of(...blocks.map(({ block }) => block));
    this.#blocks.set(network, space);
    return space;
  }

  /**
   * Has an address given to none, until it is on record or {@link retryUnrecorded} is called.
   *
   * @param address - that a stored object has, and that could not be put on record
   */
  keepUnrecorded(address: Address): void {
    this.#unrecorded.set(address.toString(), address);
    this.look(address);
  }

  /**
   * Forgets a group.
   *
   * @param name - of one that is gone
   */
  forget(name: string): void {
    this.#spaces.delete(name);
  }

  /** Forgets what could not be put on record, before that is tried again for every stored object. */
  retryUnrecorded(): void {
    const addresses = [...this.#unrecorded.values()];
    this.#unrecorded.clear();
    for (const address of addresses) this.look(address);
  }

  #keepSpaces(group: VipGroup): KnownSpaces {
    const spaces = { group, byFamily: new Map<Family, readonly PrefixSet[]>() };
    this.#spaces.set(group.name, spaces);
    return spaces;
  }

  #build(group: VipGroup, family: Family): readonly PrefixSet[] {
    const sets = this.#sets.get(group.network) ?? this.#setsIn(group.network);
    this.#sets.set(group.network, sets);
    const [all, occupied] = sets.map((each) => spacesOf(group, { family, occupied: each }));
    const hasAvoided = [...this.#uses.values()].some(
      ({ address, everywhere }) => everywhere === 'avoided' && group.segments.contains(address),
    );
    return [...(all ?? []), ...(hasAvoided ? (occupied ?? []) : [])];
  }

  #setsIn(network: string): readonly [all: PrefixSet, occupied: PrefixSet] {
    const blocks = this.blocksOf(network);
    const [all, occupied] = [new PrefixSetBuilder().add(blocks), new PrefixSetBuilder().add(blocks)];
    for (const use of this.#uses.values()) {
      const isOccupied = occupies(use, network);
      if (isOccupied || use.everywhere !== undefined) all.add(use.address);
      if (isOccupied) occupied.add(use.address);
    }
    return [all.build(), occupied.build()];
  }

  // What is held is taken anyway, so that the addresses of this door's own Services are no matter.
  #useOf(address: Address): UsedAddress | undefined {
    const showings = this.#parts.shown.at(address).filter(({ block }) => block === undefined);
    const isUnrecorded = this.#unrecorded.has(address.toString());
    if (!isUnrecorded && showings.length === 0) return undefined;
    if (this.#parts.known.at(placeOf(address))?.state === 'held') {
      this.#unrecorded.delete(address.toString());
      return undefined;
    }
    const inEvery = showings.filter(({ network }) => network === undefined);
    const networks = [...new Set(showings.flatMap(({ network }) => network ?? []))].sort();
    return { address, everywhere: isUnrecorded ? 'occupied' : weightOf(inEvery), networks };
  }
}

function weightOf(showings: readonly AddressShowing[]): Use | undefined {
  if (showings.length === 0) return undefined;
  return showings.some(({ kind }) => kind !== 'externalIPs') ? 'occupied' : 'avoided';
}

const occupies = ({ everywhere, networks }: UsedAddress, network: string): boolean =>
  everywhere === 'occupied' || networks.includes(network);

const isSame = (a: UsedAddress | undefined, b: UsedAddress | undefined): boolean =>
  a?.everywhere === b?.everywhere && a?.networks.join() === b?.networks.join();
