import type { Family } from '../../../addressing/address';
import type { PoolTally } from '../../../ports/claim-counts';

/** Step that one change adds to the numbers of its pool. */
export interface CountStep {
  readonly network: string;
  readonly pool: string;
  readonly family: Family;
  readonly held?: number;
  readonly quarantined?: number;
}

/** How many live claims of a pool and family are in one state. */
export interface StateCount extends Omit<CountStep, 'held' | 'quarantined'> {
  readonly state: 'held' | 'quarantined';
  readonly n: number;
}

/** How many rows of a kind a network has. */
export interface PrefixCount {
  readonly network: string;
  readonly n: number;
}

/**
 * Exact numbers of every pool, kept beside the rows so that a quota costs O(1). One caller at a time; after a rollback
 * call {@link load} again.
 */
export class PoolCounts {
  readonly #pools = new Map<string, Required<PoolTally>>();
  readonly #quarantined = new Map<string, number>();
  readonly #prefixes = new Map<string, number>();
  readonly #uses = new Map<string, number>();

  /**
   * Replaces everything.
   *
   * @param found - numbers of all claims
   * @param prefixes - numbers of all prefixes
   * @param uses - numbers of all addresses that clusters show without a claim
   */
  load(found: Iterable<StateCount>, prefixes: Iterable<PrefixCount>, uses: Iterable<PrefixCount>): void {
    this.#pools.clear();
    this.#quarantined.clear();
    this.#prefixes.clear();
    this.#uses.clear();
    for (const { network, pool, family, state, n } of found) this.change({ network, pool, family, [state]: n });
    for (const { network, n } of prefixes) this.changePrefixes(network, n);
    for (const { network, n } of uses) this.changeUses(network, n);
  }

  /**
   * Counts one change.
   *
   * @param step - the pool and by how much its numbers change
   */
  change(step: CountStep): void {
    const { network, pool, family } = step;
    const key = JSON.stringify([network, pool, family]);
    const before = this.#pools.get(key);
    const held = (before?.held ?? 0) + (step.held ?? 0);
    const quarantined = (before?.quarantined ?? 0) + (step.quarantined ?? 0);
    this.#pools.set(key, { network, pool, family, held, quarantined });
    this.#quarantined.set(network, (this.#quarantined.get(network) ?? 0) + (step.quarantined ?? 0));
  }

  /**
   * Counts prefixes that come or go.
   *
   * @param network - where they are
   * @param by - how many more there are
   */
  changePrefixes(network: string, by: number): void {
    this.#prefixes.set(network, (this.#prefixes.get(network) ?? 0) + by);
  }

  /**
   * Counts addresses that clusters show without a claim.
   *
   * @param network - where they are
   * @param by - how many more there are
   */
  changeUses(network: string, by: number): void {
    this.#uses.set(network, (this.#uses.get(network) ?? 0) + by);
  }

  /**
   * Tells whether a cluster shows an address of a network without a claim; where none does, nothing need be looked up.
   *
   * @param network - where addresses are unique
   * @returns true when one does
   */
  hasUses(network: string): boolean {
    return (this.#uses.get(network) ?? 0) > 0;
  }

  /**
   * Tells whether a live row can cover more than its own address; where none does, the index of addresses says it all.
   *
   * @param network - where addresses are unique
   * @returns true when some live row is a prefix
   */
  hasPrefixes(network: string): boolean {
    return (this.#prefixes.get(network) ?? 0) > 0;
  }

  /**
   * Tells whether a quarantine can have ended.
   *
   * @param network - where addresses are unique
   * @returns true when some claim is quarantined, even if its time is over
   */
  hasQuarantined(network: string): boolean {
    return (this.#quarantined.get(network) ?? 0) > 0;
  }

  /**
   * Tells how much of its quota a pool has used.
   *
   * @param network - where the pool's addresses are unique
   * @param pool - the one that wants to give one more claim
   * @returns held claims of both families
   */
  heldIn(network: string, pool: string): number {
    const of = (family: Family): number => this.#pools.get(JSON.stringify([network, pool, family]))?.held ?? 0;
    return of(4) + of(6);
  }

  /**
   * Gives all numbers.
   *
   * @returns one entry for each network, pool and family, in that order
   */
  all(): readonly Required<PoolTally>[] {
    return [...this.#pools.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tally]) => tally);
  }
}
