import type { Clock } from '../../../ports/clock';

/** Since when addresses are missing in the dataplane that places them. */
export class MissingSince {
  readonly #clock: Pick<Clock, 'nowMs'>;
  /** Times by address, by EgressIPAM. */
  readonly #since = new Map<string, ReadonlyMap<string, number>>();

  /**
   * Starts without an address.
   *
   * @param clock - for the times
   */
  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  /**
   * Keeps the times of the addresses that are missing, and forgets those of all others.
   *
   * @param egressIpam - its name
   * @param missing - texts of its addresses
   */
  keep(egressIpam: string, missing: readonly string[]): void {
    const before = this.#since.get(egressIpam);
    const nowMs = this.#clock.nowMs();
    this.#since.set(egressIpam, new Map(missing.map((text) => [text, before?.get(text) ?? nowMs])));
  }

  /**
   * Tells for how long an address is missing.
   *
   * @param egressIpam - its name
   * @param address - text
   * @returns milliseconds
   */
  sinceMs(egressIpam: string, address: string): number {
    const nowMs = this.#clock.nowMs();
    return nowMs - (this.#since.get(egressIpam)?.get(address) ?? nowMs);
  }

  /**
   * Tells when the next address of an EgressIPAM is missing for so long.
   *
   * @param egressIpam - its name
   * @param ms - the time
   * @returns milliseconds from now; undefined where there is none
   */
  leftMs(egressIpam: string, ms: number): number | undefined {
    const nowMs = this.#clock.nowMs();
    const left = [...(this.#since.get(egressIpam)?.values() ?? [])].map((since) => since + ms - nowMs);
    const ahead = left.filter((each) => each > 0);
    return ahead.length === 0 ? undefined : Math.min(...ahead);
  }

  /** Forgets all: another process places from now on. */
  clear(): void {
    this.#since.clear();
  }
}

/** Pause between two rounds of moves for the sake of balance. */
const ROUND_MS = 10_000;
/** Most addresses of an EgressIPAM that move in one round. */
const MOST_MOVES = 4;

/** Limits the moves for the sake of balance. */
export class RebalanceRounds {
  readonly #clock: Pick<Clock, 'nowMs'>;
  /** When the next round may begin, by EgressIPAM. */
  readonly #next = new Map<string, number>();

  /**
   * Starts without a round.
   *
   * @param clock - for the pause
   */
  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  /**
   * Tells how many addresses may move.
   *
   * @param egressIpam - its name
   * @param isSettled - true where every earlier move has ended
   * @returns 0 between two rounds
   */
  mostMoves(egressIpam: string, isSettled: boolean): number {
    return isSettled && this.leftMs(egressIpam) === 0 ? MOST_MOVES : 0;
  }

  /**
   * Begins the pause after a round.
   *
   * @param egressIpam - of which addresses moved
   */
  moved(egressIpam: string): void {
    this.#next.set(egressIpam, this.#clock.nowMs() + ROUND_MS);
  }

  /**
   * Tells how long the pause is.
   *
   * @param egressIpam - its name
   * @returns milliseconds from now
   */
  leftMs(egressIpam: string): number {
    return Math.max(0, (this.#next.get(egressIpam) ?? 0) - this.#clock.nowMs());
  }

  /** Forgets all: another process places from now on. */
  clear(): void {
    this.#next.clear();
  }
}
