import type { Address, Family } from '../../../addressing/address';
import { PrefixSetBuilder, type PrefixSet } from '../../../addressing/prefix-set';
import { spacesOf } from '../../../rules/vips';
import type { VipGroup } from '../../../rules/vips/types';
import type { VipsDoorParts } from './door-parts';
import { placeOf } from './record';

/** How the cluster uses an address that is not on record. */
type Use = 'occupied' | 'avoided';

/** Addresses that the cluster uses without a claim; each change costs the same, however many there are. */
export class InUse {
  readonly #parts: Pick<VipsDoorParts, 'known' | 'shown'>;
  readonly #uses = new Map<string, { readonly address: Address; readonly use: Use }>();
  /** Addresses that stored objects have, and that could not be put on record. */
  readonly #unrecorded = new Map<string, Address>();
  #sets: readonly PrefixSet[] | undefined;
  #spaces = new WeakMap<VipGroup, Map<Family, readonly PrefixSet[]>>();

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
   * @returns true where it is in use
   */
  look(address: Address): boolean {
    const text = address.toString();
    const use = this.#useOf(address);
    if (use !== this.#uses.get(text)?.use) {
      if (use === undefined) this.#uses.delete(text);
      else this.#uses.set(text, { address, use });
      this.#sets = undefined;
      this.#spaces = new WeakMap();
    }
    return use === 'occupied';
  }

  /**
   * Gives the spaces to take an address from.
   *
   * @param group - as it is planned
   * @param family - of the wanted address
   * @returns spaces, each to be tried with its lowest free address; what Services claim by their own word comes last
   */
  spacesOf(group: VipGroup, family: Family): readonly PrefixSet[] {
    const known = this.#spaces.get(group) ?? new Map<Family, readonly PrefixSet[]>();
    this.#spaces.set(group, known);
    const spaces = known.get(family) ?? this.#build(group, family);
    known.set(family, spaces);
    return spaces;
  }

  /**
   * Tells whether an address is in use.
   *
   * @param address - any address
   * @returns true for one that is never given
   */
  isOccupied(address: Address): boolean {
    return this.#uses.get(address.toString())?.use === 'occupied';
  }

  /**
   * Lists addresses in use.
   *
   * @returns those that are never given
   */
  occupied(): readonly Address[] {
    return [...this.#uses.values()].filter(({ use }) => use === 'occupied').map(({ address }) => address);
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

  /** Forgets what could not be put on record, before that is tried again for every stored object. */
  retryUnrecorded(): void {
    const addresses = [...this.#unrecorded.values()];
    this.#unrecorded.clear();
    for (const address of addresses) this.look(address);
  }

  #build(group: VipGroup, family: Family): readonly PrefixSet[] {
    this.#sets ??= this.#setsNow();
    const [all, occupied] = this.#sets.map((each) => spacesOf(group, { family, occupied: each }));
    const hasAvoided = [...this.#uses.values()].some(({ use }) => use === 'avoided');
    return [...(all ?? []), ...(hasAvoided ? (occupied ?? []) : [])];
  }

  #setsNow(): readonly PrefixSet[] {
    const [all, occupied] = [new PrefixSetBuilder(), new PrefixSetBuilder()];
    for (const { address, use } of this.#uses.values()) {
      all.add(address);
      if (use === 'occupied') occupied.add(address);
    }
    return [all.build(), occupied.build()];
  }

  // What is held is taken anyway, so that the addresses of this door's own Services are no matter.
  #useOf(address: Address): Use | undefined {
    const kinds = this.#parts.shown.at(address).map(({ kind }) => kind);
    const isUnrecorded = this.#unrecorded.has(address.toString());
    if (!isUnrecorded && kinds.length === 0) return undefined;
    if (this.#parts.known.at(placeOf(address))?.state === 'held') {
      this.#unrecorded.delete(address.toString());
      return undefined;
    }
    if (isUnrecorded) return 'occupied';
    return kinds.some((kind) => kind !== 'externalIPs') ? 'occupied' : 'avoided';
  }
}
