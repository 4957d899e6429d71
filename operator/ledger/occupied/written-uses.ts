import { addressOf, type Address } from '../../addressing/address';
import type { AddressUse, OccupiedAddresses } from '../../ports/occupied-addresses';
import { placeKey } from '../../addressing/place';

/** Differences that are written side by side: enough to share transactions, few enough to hold no claim up. */
const AT_ONCE = 64;

/** A place, and by what the cluster shows it; undefined: by nothing. */
export interface WantedUse {
  readonly network: string;
  readonly address: Address;
  readonly use: AddressUse | undefined;
}

/** Uses that a cluster has on record, so that only differences are written. One caller at a time. */
export class WrittenUses {
  readonly #uses: OccupiedAddresses;
  readonly #cluster: string;
  readonly #known = new Map<string, AddressUse>();

  /**
   * Knows nothing yet.
   *
   * @param uses - the record
   * @param cluster - whose part of it
   */
  constructor(uses: OccupiedAddresses, cluster: string) {
    this.#uses = uses;
    this.#cluster = cluster;
  }

  /**
   * Reads the record anew.
   *
   * @returns every place of the cluster
   */
  async read(): Promise<readonly { readonly network: string; readonly address: Address }[]> {
    const found = await this.#uses.list({ by: 'cluster', cluster: this.#cluster });
    this.#known.clear();
    for (const { network, address, source, weight } of found) {
      this.#known.set(placeKey({ network, address }), { source, weight });
    }
    return found;
  }

  /**
   * Writes what differs.
   *
   * @param wanted - places, each at most once
   * @returns how many the record has so now
   */
  async write(wanted: readonly WantedUse[]): Promise<number> {
    const differing = wanted.filter((each) => !this.#isKnown(each));
    let written = 0;
    for (let at = 0; at < differing.length; at += AT_ONCE) {
      const done = await Promise.all(differing.slice(at, at + AT_ONCE).map((each) => this.#writeOne(each)));
      written += done.filter(Boolean).length;
    }
    return written;
  }

  /**
   * Lists the places of networks that are not among some.
   *
   * @param networks - those that stay
   * @returns places to remove
   */
  outside(networks: ReadonlySet<string>): readonly WantedUse[] {
    return [...this.#known.keys()].flatMap((key) => {
      const [network, address] = JSON.parse(key) as [string, string];
      return networks.has(network) ? [] : [{ network, address: addressOf(address), use: undefined }];
    });
  }

  /**
   * Counts places by weight.
   *
   * @returns how many are occupied, and how many avoided
   */
  counts(): Readonly<Record<AddressUse['weight'], number>> {
    const counts = { occupied: 0, avoided: 0 };
    for (const { weight } of this.#known.values()) counts[weight] += 1;
    return counts;
  }

  async #writeOne({ network, address, use }: WantedUse): Promise<boolean> {
    const change = { cluster: this.#cluster, network, address, ...(use === undefined ? {} : { use }) };
    // what is beyond a limit is tried again with the next comparison
    if (!(await this.#uses.write(change))) return false;
    if (use === undefined) this.#known.delete(placeKey({ network, address }));
    else this.#known.set(placeKey({ network, address }), use);
    return true;
  }

  #isKnown({ network, address, use }: WantedUse): boolean {
    const known = this.#known.get(placeKey({ network, address }));
    return known?.source === use?.source && known?.weight === use?.weight;
  }
}
