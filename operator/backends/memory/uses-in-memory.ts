import type { Address, Family } from '../../addressing/address';
import type { PrefixSet } from '../../addressing/prefix-set';
import { sourceOf } from '../../contract/occupied-source';
import type { Owner } from '../../ports/claims';
import type { AddressUse, OccupiedAddress, OccupiedChange } from '../../ports/occupied-addresses';
import { byAddress, placeKey } from '../../addressing/place';

interface Place {
  readonly network: string;
  readonly address: Address;
}

/** By what clusters show addresses, in plain maps. One caller at a time; holds memory only. */
export class UsesInMemory {
  readonly #places = new Map<string, Map<string, OccupiedAddress>>();

  /**
   * Writes or removes a use.
   *
   * @param change - one difference
   * @returns false when it is on record already
   */
  write({ cluster, network, address, use }: OccupiedChange): boolean {
    const key = placeKey({ network, address });
    const there = this.#places.get(key);
    const before = there?.get(cluster);
    if (isSame(before, use)) return false;
    const uses = there ?? new Map<string, OccupiedAddress>();
    if (use === undefined) uses.delete(cluster);
    else uses.set(cluster, Object.freeze({ cluster, network, address, source: use.source, weight: use.weight }));
    this.#keep(key, uses);
    return true;
  }

  #keep(key: string, uses: Map<string, OccupiedAddress>): void {
    if (uses.size === 0) this.#places.delete(key);
    else this.#places.set(key, uses);
  }

  /**
   * Reads the uses of an address.
   *
   * @param place - network and address
   * @returns those of the cluster that comes first, first
   */
  at(place: Place): readonly OccupiedAddress[] {
    const uses = [...(this.#places.get(placeKey(place))?.values() ?? [])];
    return uses.sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
  }

  /**
   * Finds a use that counts.
   *
   * @param place - network and address
   * @param but - whose own use does not count; absent: every one does
   * @returns the first one
   */
  occupying(place: Place, but?: Owner): OccupiedAddress | undefined {
    const own = but === undefined ? undefined : { cluster: but.cluster, source: sourceOf(but) };
    return this.at(place).find(
      ({ weight, cluster, source }) => weight === 'occupied' && !(cluster === own?.cluster && source === own.source),
    );
  }

  /**
   * Tells whether an address is to be chosen last.
   *
   * @param place - network and address
   * @returns true while a cluster shows it as one that its tenants may claim
   */
  isAvoided(place: Place): boolean {
    return this.at(place).some(({ weight }) => weight === 'avoided');
  }

  /**
   * Lists the avoided addresses of a space.
   *
   * @param network - where
   * @param family - of the addresses
   * @param space - which ones
   * @returns lowest first
   */
  avoidedIn(network: string, family: Family, space: PrefixSet): readonly Address[] {
    const all = this.all().filter((each) => each.weight === 'avoided' && each.network === network);
    return all.map(({ address }) => address).filter((address) => address.family === family && space.contains(address));
  }

  /**
   * Lists every use.
   *
   * @returns lowest address first
   */
  all(): readonly OccupiedAddress[] {
    return [...this.#places.values()].flatMap((uses) => [...uses.values()]).sort(byAddress);
  }
}

function isSame(a: AddressUse | undefined, b: AddressUse | undefined): boolean {
  return a?.source === b?.source && a?.weight === b?.weight;
}
