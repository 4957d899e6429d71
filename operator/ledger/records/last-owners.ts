import type { Address } from '../../addressing/address';
import { placeKey } from '../../addressing/place';
import type { OwnedAddress } from '../../ports/address-book';
import type { ClaimChange, Claims } from '../../ports/claims';

/** Changes up to which a list is brought up to date; of more of them reading everything costs less. */
const MOST_CHANGES = 4_000;

/** A claim that changed. */
export type ChangedPlace = Pick<ClaimChange, 'network' | 'address'>;

/** The owners of one cluster as they were at one revision of the store. */
interface SeenOwners {
  readonly clusterUid: string;
  readonly revision: number;
  readonly owners: readonly OwnedAddress[];
}

/** A list to go on from, and what changed since. */
export interface FormerOwners {
  readonly owners: readonly OwnedAddress[];
  readonly changed: readonly ChangedPlace[];
}

/**
 * The list of owners that was read last: comparisons of everything come again and again, mostly with little changed between. One caller at
 * a time; of a store that this process alone writes to.
 */
export class LastOwners {
  #seen: SeenOwners | undefined;
  readonly #changed = new Map<string, ChangedPlace>();
  /** Changes that were told since the list. */
  #told = 0;
  #isWatching = false;

  /**
   * Follows the changes of the claims from now on, once.
   *
   * @param claims - of the store
   */
  watch(claims: Pick<Claims, 'watch'>): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    claims.watch(({ network, address }) => {
      this.#told += 1;
      if (this.#changed.size <= MOST_CHANGES) this.#changed.set(placeKey({ network, address }), { network, address });
    });
  }

  /**
   * Finds what is known of the owners, and begins to note what changes from this revision on.
   *
   * @param clusterUid - whose owners
   * @param revision - of the store a moment ago
   * @returns the former list with the places to read anew; undefined where everything has to be read
   */
  from(clusterUid: string, revision: number): FormerOwners | undefined {
    const [seen, told, changed] = [this.#seen, this.#told, [...this.#changed.values()]];
    this.#told = 0;
    this.#changed.clear();
    this.#seen = undefined;
    if (seen?.clusterUid !== clusterUid || changed.length > MOST_CHANGES) return undefined;
    // what was not told may be of any claim
    return revision - seen.revision > told ? undefined : { owners: seen.owners, changed };
  }

  /**
   * Keeps a list in place of the one before.
   *
   * @param seen - read at this revision or later
   */
  keep(seen: SeenOwners): void {
    this.#seen = seen;
  }
}

/**
 * Puts the present owners of some places into a list.
 *
 * @param owners - lowest address first
 * @param at - each place whose owners changed, with those that it has now
 * @returns the new list, lowest address first
 */
export function withPlaces(
  owners: readonly OwnedAddress[],
  at: readonly { readonly place: ChangedPlace; readonly owners: readonly OwnedAddress[] }[],
): readonly OwnedAddress[] {
  const parts: OwnedAddress[][] = [];
  let from = 0;
  for (const { address, networks, present } of byAddress(at)) {
    const start = firstAtOrAbove(owners, address);
    let end = start;
    while (owners[end]?.address.equals(address) === true) end += 1;
    const others = owners.slice(start, end).filter(({ network }) => !networks.includes(network));
    parts.push(owners.slice(from, start), others, present);
    from = end;
  }
  return [...parts, owners.slice(from)].flat();
}

/** Changes at one address. */
interface ChangedAddress {
  readonly address: Address;
  readonly networks: string[];
  readonly present: OwnedAddress[];
}

function byAddress(at: Parameters<typeof withPlaces>[1]): readonly ChangedAddress[] {
  const found: ChangedAddress[] = [];
  for (const { place, owners } of at.toSorted((a, b) => a.place.address.compareTo(b.place.address))) {
    const { network, address } = place;
    const last = found.at(-1);
    if (last?.address.equals(address) === true) {
      last.networks.push(network);
      last.present.push(...owners);
    } else found.push({ address, networks: [network], present: [...owners] });
  }
  return found;
}

function firstAtOrAbove(owners: readonly OwnedAddress[], address: Address): number {
  let [low, high] = [0, owners.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((owners[middle]?.address.compareTo(address) ?? 0) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
