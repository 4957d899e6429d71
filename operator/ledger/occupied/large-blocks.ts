import type { Address } from '../../addressing/address';
import type { Prefix } from '../../addressing/prefix';
import { PrefixSet } from '../../addressing/prefix-set';
import type { ZoneCatalogue } from '../../contract/zones';
import type { ZoneSource } from '../../ports/zone-source';
import { isListed, spaceInZones } from './addresses-in-zones';
import { countsIn, type ShownIndex } from './shown-index';

/** Claims of other doors. */
type ShownClaims = Pick<ShownIndex, 'blocks' | 'at'>;

/** A prefix that is too large for a row of each address. */
export interface LargeBlock {
  readonly block: Prefix;
  /** Kind, namespace and name of its holder. */
  readonly source: string;
}

interface Known {
  readonly catalogue: ZoneCatalogue;
  readonly space: PrefixSet;
}

/**
 * Prefixes in zones that claims of other doors have and that are too large for a row of each address: their space is taken out of what a
 * zone chooses from. Holds memory only.
 */
export class LargeBlocks {
  readonly #zones: Pick<ZoneSource, 'current'>;
  readonly #known = new Map<string, Known>();
  /** By the space that was asked for: stores compare what a pool may give. */
  readonly #left = new WeakMap<PrefixSet, { readonly without: PrefixSet; readonly left: PrefixSet }>();
  #shown: ShownClaims = { blocks: () => [], at: () => [] };

  /**
   * Starts without any prefix.
   *
   * @param zones - tell which prefixes lie in zones
   */
  constructor(zones: Pick<ZoneSource, 'current'>) {
    this.#zones = zones;
  }

  /**
   * Reads the prefixes from an index from now on.
   *
   * @param shown - {@link changed} is to be called for each of its changes
   */
  readFrom(shown: ShownClaims): void {
    this.#shown = shown;
    this.#known.clear();
  }

  /**
   * Takes over a change of the index.
   *
   * @param block - that came or went
   * @returns true where that changes what zones choose from
   */
  changed(block: Prefix): boolean {
    if (block.hostCount === 1n || isListed(spaceInZones(this.#zones.current(), block))) return false;
    this.#known.clear();
    return true;
  }

  /**
   * Unites the prefixes of a network.
   *
   * @param network - as zones name it
   * @returns their space; the same set while nothing changed
   */
  in(network: string): PrefixSet {
    const catalogue = this.#zones.current();
    const known = this.#known.get(network);
    if (known?.catalogue === catalogue) return known.space;
    const blocks = this.#shown
      .blocks()
      .filter(({ block, networks }) => networks.includes(network) && !isListed(spaceInZones(catalogue, block)));
    const space = blocks.length === 0 ? PrefixSet.EMPTY : PrefixSet.of(...blocks.map(({ block }) => block));
    this.#known.set(network, { catalogue, space });
    return space;
  }

  /**
   * Finds the prefix that has an address.
   *
   * @param network - as zones name it
   * @param address - any address
   * @returns the prefix and its holder; undefined where the address lies in none that is too large for rows
   */
  around(network: string, address: Address): LargeBlock | undefined {
    if (!this.in(network).contains(address)) return undefined;
    const catalogue = this.#zones.current();
    for (const { block, source, ...showing } of this.#shown.at(address))
      if (block !== undefined && countsIn(showing, network) && !isListed(spaceInZones(catalogue, block)))
        return { block, source };
    return undefined;
  }

  /**
   * Takes the prefixes out of a space.
   *
   * @param network - as zones name it
   * @param space - what a zone may give
   * @returns the rest; the same set while nothing changed
   */
  leftOf(network: string, space: PrefixSet): PrefixSet {
    const without = this.in(network);
    if (without.isEmpty) return space;
    const known = this.#left.get(space);
    if (known?.without.equals(without) === true) return known.left;
    const left = space.subtract(without);
    this.#left.set(space, { without, left });
    return left;
  }
}
