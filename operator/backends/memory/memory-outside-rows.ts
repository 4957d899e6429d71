import type { Address } from '../../addressing/address';
import type { NewOutsideRow, OutsideChange, OutsideRow, OutsideRows } from '../../ports/outside-rows';
import { placeKey } from '../../addressing/place';

/** {@link OutsideRows} in plain maps: the reference of the port. Each verb runs in one piece; nothing is durable. */
export class MemoryOutsideRows implements OutsideRows {
  readonly #rows = new Map<string, OutsideRow>();
  readonly #notes = new Map<string, string>();
  readonly #checkOpen: () => void;

  /**
   * Starts empty.
   *
   * @param checkOpen - throws when the store is closed
   */
  constructor(checkOpen: () => void = () => undefined) {
    this.#checkOpen = checkOpen;
  }

  /** @inheritdoc */
  async begin(row: NewOutsideRow): Promise<OutsideRow> {
    return this.#whenOpen(() => {
      const there = this.#rows.get(placeKey(row));
      const fresh = {
        state: 'pending',
        attempts: 0,
        fault: '',
        differsSinceMs: 0,
        foreign: false,
        revision: 1,
      } as const;
      return there ?? this.#write({ ...row, ...fresh });
    });
  }

  /** @inheritdoc */
  async change(row: OutsideRow, change: OutsideChange): Promise<OutsideRow | undefined> {
    return this.#whenOpen(() => {
      if (!this.#isAsRead(row)) return undefined;
      const { nextAtMs: _, ...kept } = row;
      const { nextAtMs, ...changed } = change;
      const next = nextAtMs === undefined ? {} : { nextAtMs };
      return this.#write({ ...kept, ...changed, ...next, revision: row.revision + 1 });
    });
  }

  /** @inheritdoc */
  async end(row: OutsideRow): Promise<boolean> {
    return this.#whenOpen(() => this.#isAsRead(row) && this.#rows.delete(placeKey(row)));
  }

  /** @inheritdoc */
  async get(network: string, address: Address): Promise<OutsideRow | undefined> {
    return this.#whenOpen(() => this.#rows.get(placeKey({ network, address })));
  }

  /** @inheritdoc */
  async due(nowMs: number, limit: number): Promise<readonly OutsideRow[]> {
    return this.#whenOpen(() => {
      const due = [...this.#rows.values()].filter(({ nextAtMs = Infinity }) => nextAtMs <= nowMs);
      return due.sort((a, b) => (a.nextAtMs ?? 0) - (b.nextAtMs ?? 0)).slice(0, limit);
    });
  }

  /** @inheritdoc */
  async ofZone(zone: string): Promise<readonly OutsideRow[]> {
    return this.#whenOpen(() => {
      const rows = [...this.#rows.values()].filter((row) => row.zone === zone);
      return rows.sort((a, b) => a.address.compareTo(b.address) || (a.network < b.network ? -1 : 1));
    });
  }

  /** @inheritdoc */
  async zones(): Promise<readonly string[]> {
    return this.#whenOpen(() => [...new Set([...this.#rows.values()].map(({ zone }) => zone))].sort());
  }

  /** @inheritdoc */
  async note(name: string): Promise<string> {
    return this.#whenOpen(() => this.#notes.get(name) ?? '');
  }

  /** @inheritdoc */
  async keep(name: string, text: string): Promise<void> {
    await this.#whenOpen(() => this.#notes.set(name, text));
  }

  /** @inheritdoc */
  async agree(name: string, text: string): Promise<string> {
    return this.#whenOpen(() => {
      const kept = this.#notes.get(name) ?? text;
      this.#notes.set(name, kept);
      return kept;
    });
  }

  // A throw of the check becomes a rejection; nothing in here waits.
  async #whenOpen<V>(work: () => V): Promise<V> {
    await Promise.resolve();
    this.#checkOpen();
    return work();
  }

  #isAsRead(row: OutsideRow): boolean {
    const there = this.#rows.get(placeKey(row));
    return there?.revision === row.revision && there.mark === row.mark;
  }

  #write(row: OutsideRow): OutsideRow {
    const frozen = Object.freeze({ ...row });
    this.#rows.set(placeKey(row), frozen);
    return frozen;
  }
}
