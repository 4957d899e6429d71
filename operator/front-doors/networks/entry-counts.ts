import type { ClaimChange } from '../../ports/claims';

/** Number of entries of each network, kept by the changes of the record. */
export class EntryCounts {
  readonly #counts = new Map<string, number>();

  /**
   * Reads a number.
   *
   * @param network - on record
   * @returns entries of the network
   */
  of(network: string): number {
    return this.#counts.get(network) ?? 0;
  }

  /**
   * Takes over a change of the record.
   *
   * @param change - of one entry
   */
  follow({ network, kind }: Pick<ClaimChange, 'network' | 'kind'>): void {
    if (kind === 'changed') return;
    this.set(network, Math.max(0, this.of(network) + (kind === 'taken' ? 1 : -1)));
  }

  /**
   * Takes over a number that was counted.
   *
   * @param network - on record
   * @param count - entries of the network
   */
  set(network: string, count: number): void {
    if (count === 0) this.#counts.delete(network);
    else this.#counts.set(network, count);
  }

  /** Forgets all: they are counted again. */
  clear(): void {
    this.#counts.clear();
  }
}
