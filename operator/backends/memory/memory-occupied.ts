import { familyBits, type Address, type Family } from '../../addressing/address';
import type { PrefixSet } from '../../addressing/prefix-set';
import { IpamError } from '../../errors/ipam-error';
import { sourceOf } from '../../contract/occupied-source';
import type { Owner } from '../../ports/claims';
import type {
  AddressUse,
  MetClaim,
  OccupiedAddress,
  OccupiedAddresses,
  OccupiedChange,
  OccupiedQuery,
} from '../../ports/occupied-addresses';
import { isLiveAt, type MemoryRecords } from './memory-records';

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
    const key = keyOf({ network, address });
    const there = this.#places.get(key);
    const before = there?.get(cluster);
    if (before?.source === use?.source && before?.weight === use?.weight) return false;
    const uses = there ?? new Map<string, OccupiedAddress>();
    if (use === undefined) uses.delete(cluster);
    else uses.set(cluster, Object.freeze({ cluster, network, address, source: use.source, weight: use.weight }));
    if (uses.size === 0) this.#places.delete(key);
    else this.#places.set(key, uses);
    return true;
  }

  /**
   * Reads the uses of an address.
   *
   * @param place - network and address
   * @returns those of the cluster that comes first, first
   */
  at(place: Place): readonly OccupiedAddress[] {
    const uses = [...(this.#places.get(keyOf(place))?.values() ?? [])];
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

function keyOf({ network, address }: Place): string {
  return JSON.stringify([network, address.toString()]);
}

function byAddress(a: OccupiedAddress, b: OccupiedAddress): number {
  return a.address.compareTo(b.address) || (a.network < b.network ? -1 : 1);
}

/** What {@link MemoryOccupied} works on. */
export interface MemoryOccupiedParts {
  readonly uses: UsesInMemory;
  readonly records: MemoryRecords;
  readonly nowMs: () => number;
  readonly isClosed: () => boolean;
}

/** {@link OccupiedAddresses} in plain maps: the reference of the port. Each verb runs in one piece; nothing is durable. */
export class MemoryOccupied implements OccupiedAddresses {
  readonly #parts: MemoryOccupiedParts;
  readonly #complete = new Map<string, Map<string, number>>();

  /**
   * Works beside claims.
   *
   * @param parts - uses, records, clock
   */
  constructor(parts: MemoryOccupiedParts) {
    this.#parts = parts;
  }

  /** @inheritdoc */
  async write(change: OccupiedChange): Promise<void> {
    await this.#whenOpen((nowMs) => {
      if (this.#parts.uses.write(change)) this.#parts.records.settleUse(change, nowMs);
    });
  }

  /** @inheritdoc */
  async list(query: OccupiedQuery): Promise<readonly OccupiedAddress[]> {
    return this.#whenOpen(() => {
      const { uses } = this.#parts;
      return query.by === 'address' ? uses.at(query) : uses.all().filter(({ cluster }) => cluster === query.cluster);
    });
  }

  /** @inheritdoc */
  async complete({ cluster, networks }: { readonly cluster: string; readonly networks: readonly string[] }) {
    await this.#whenOpen((nowMs) => {
      const known = this.#complete.get(cluster) ?? new Map<string, number>();
      for (const network of networks) if (!known.has(network)) known.set(network, nowMs);
      this.#complete.set(cluster, known);
    });
  }

  /** @inheritdoc */
  async completeSince(cluster: string): Promise<ReadonlyMap<string, number>> {
    return this.#whenOpen(() => new Map(this.#complete.get(cluster)));
  }

  /** @inheritdoc */
  async met(cluster: string): Promise<readonly MetClaim[]> {
    return this.#whenOpen((nowMs) =>
      this.#parts.uses
        .all()
        .filter(({ weight }) => weight === 'occupied')
        .flatMap((use) => this.#metAt(use, cluster, nowMs)),
    );
  }

  /** @inheritdoc */
  async forget(cluster: string): Promise<number> {
    const uses = await this.list({ by: 'cluster', cluster });
    for (const { network, address } of uses) await this.write({ cluster, network, address });
    this.#complete.delete(cluster);
    return new Set(uses.map(({ address }) => address.toString())).size;
  }

  #metAt({ network, address, ...use }: OccupiedAddress, cluster: string, nowMs: number): readonly MetClaim[] {
    const record = this.#parts.records.at({ network, address, length: familyBits(address.family) });
    if (record === undefined || !isLiveAt(record, nowMs)) return [];
    const { holders, pool } = record;
    if (holders.some(({ owner }) => owner.cluster === use.cluster && sourceOf(owner) === use.source)) return [];
    return holders
      .filter(({ owner, state }) => owner.cluster === cluster && state !== 'contested')
      .map(({ owner }) => ({ network, address, pool, holder: owner, use: named(use) }));
  }

  async #whenOpen<V>(work: (nowMs: number) => V): Promise<V> {
    await Promise.resolve();
    if (this.#parts.isClosed()) throw new IpamError('store/closed', 'the store was closed');
    return work(this.#parts.nowMs());
  }
}

function named({ cluster, source }: AddressUse & { readonly cluster: string }): MetClaim['use'] {
  return { cluster, source };
}
