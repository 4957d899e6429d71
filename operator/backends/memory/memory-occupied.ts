import { familyBits } from '../../addressing/address';
import { IpamError } from '../../errors/ipam-error';
import { sourceOf } from '../../contract/occupied-source';
import type {
  AddressUse,
  MetClaim,
  OccupiedAddress,
  OccupiedAddresses,
  OccupiedChange,
  OccupiedQuery,
} from '../../ports/occupied-addresses';
import type { MemoryRecords } from './memory-records';
import type { UsesInMemory } from './uses-in-memory';
import { isLiveAt } from '../../claim-store/record-terms';

/** Parts of {@link MemoryOccupied}. */
export interface MemoryOccupiedParts {
  readonly uses: UsesInMemory;
  readonly records: MemoryRecords;
  readonly nowMs: () => number;
  readonly isClosed: () => boolean;
  /** Whether a cluster has another name on record by now, under which alone it may write. */
  readonly isRenamed: (cluster: string, nowMs: number) => boolean;
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
  async write(change: OccupiedChange): Promise<boolean> {
    return this.#whenOpen((nowMs) => {
      if (change.use !== undefined && this.#parts.isRenamed(change.cluster, nowMs)) return false;
      if (this.#parts.uses.write(change)) this.#parts.records.settleUse(change, nowMs);
      return true;
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
      if (this.#parts.isRenamed(cluster, nowMs)) return;
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

  /**
   * Gives to another identity since when the uses of a cluster were complete; what the new one has stays.
   *
   * @param rename - both identities
   */
  renameComplete({ from, to }: { readonly from: string; readonly to: string }): void {
    const [old, known] = [this.#complete.get(from), this.#complete.get(to)];
    if (old !== undefined) this.#complete.set(to, new Map([...old, ...(known ?? [])]));
    this.#complete.delete(from);
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
