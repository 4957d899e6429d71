import type { Clock } from '../../../ports/clock';

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
