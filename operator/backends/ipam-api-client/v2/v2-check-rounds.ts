import { traceOf } from '../../../errors/trace';
import { checkableRows, checkRow, type Checked } from './v2-check';
import type { RemoteContext } from './v2-line';
import type { Outbox } from './v2-outbox';

/** Shortest pause between two checks of a usual round: the original reads its whole collection for each. */
const LEAST_PAUSE_MS = 1_000;
/** Pause between two checks while it is likely that the IPAM-API came from a backup. */
const HURRIED_PAUSE_MS = 250;
/** Longest pause between two looks whether something is due, or the IPAM-API is back. */
const LOOK_MS = 1_000;
/** Pause after a check that failed. */
const FAILED_MS = 5_000;

/** Parts that {@link CheckRounds} works with. */
export interface CheckRoundsProps {
  readonly context: RemoteContext;
  readonly outbox: Pick<Outbox, 'alone'>;
  /** From 0 to 1; spreads the checks of many clusters. */
  readonly random: () => number;
}

/**
 * Checks row by row whether the IPAM-API still knows what it gave, one call at a time and spread over the time of a round. What
 * looks like an IPAM-API that came from a backup (it was away, or did not know something) begins a hurried round, at most one in the
 * time of a round.
 */
export class CheckRounds {
  readonly #props: CheckRoundsProps;
  #everyMs = 0;
  #queue: string[] = [];
  #nextRoundMs = 0;
  #nextCheckMs = 0;
  #hurried = false;
  #hurriedAtMs = Number.NEGATIVE_INFINITY;
  #wasAway = false;
  #cancel: () => void = () => undefined;
  #running: Promise<unknown> = Promise.resolve();
  #ended = true;

  /**
   * Begins nothing yet.
   *
   * @param props - rows and calls, the outbox that must not work on the same row
   */
  constructor(props: CheckRoundsProps) {
    this.#props = props;
  }

  /**
   * Begins to check.
   *
   * @param everyMs - milliseconds of one round
   * @returns the function that ends it; it waits for a check that is under way
   */
  start(everyMs: number): () => Promise<void> {
    this.#everyMs = everyMs;
    this.#ended = false;
    this.#queue = [];
    this.#hurried = false;
    this.#nextRoundMs = 0;
    this.#after(LOOK_MS);
    return async () => {
      this.#ended = true;
      this.#cancel();
      await this.#running;
    };
  }

  /**
   * Takes a sign that the IPAM-API lost something: the row is checked now, and the others soon where this process checks.
   *
   * @param id - of the row; absent where nothing is left of it
   */
  suspect(id?: string): void {
    if (id !== undefined) void this.#check(id);
    this.#hasten();
  }

  #hasten(): void {
    const { clock } = this.#props.context;
    if (this.#ended || this.#hurried || clock.nowMs() - this.#hurriedAtMs < this.#everyMs) return;
    this.#hurriedAtMs = clock.nowMs();
    this.#hurried = true;
    this.#beginRound();
    this.#nextCheckMs = 0;
    this.#after(HURRIED_PAUSE_MS);
  }

  #beginRound(): void {
    const { context } = this.#props;
    this.#queue = [...checkableRows(context)];
    this.#nextRoundMs = context.clock.nowMs() + this.#everyMs;
  }

  #after(ms: number): void {
    this.#cancel();
    if (this.#ended) return;
    this.#cancel = this.#props.context.clock.after(ms, () => {
      this.#running = this.#step().then((pauseMs) => {
        this.#after(pauseMs);
      });
    });
  }

  // Does what is due; tells the pause after it.
  async #step(): Promise<number> {
    const { calls, clock } = this.#props.context;
    this.#lookAround();
    if (calls.closedBecause() !== undefined || clock.nowMs() < this.#nextCheckMs) return LOOK_MS;
    const id = this.#next();
    if (id === undefined) return LOOK_MS;
    const checked = await this.#check(id);
    if (checked === 'skipped') return 0;
    if (checked === 'failed') {
      this.#queue.push(id);
      this.#hurried = false;
    } else if (checked === 'registered') this.#hasten();
    const pauseMs = checked === 'failed' ? FAILED_MS : this.#pauseMs();
    this.#nextCheckMs = clock.nowMs() + pauseMs;
    return Math.min(LOOK_MS, pauseMs);
  }

  // A server that asks to wait is not hurried; one that was away may have come from a backup.
  #lookAround(): void {
    const { calls, clock } = this.#props.context;
    const isAway = calls.away?.() === true;
    if (calls.closedBecause() !== undefined) this.#hurried = false;
    if (this.#wasAway && !isAway) this.#hasten();
    if (isAway && !this.#wasAway) {
      // a call has to notice that it is back
      this.#beginRound();
      this.#nextCheckMs = clock.nowMs() + FAILED_MS;
    }
    this.#wasAway = isAway;
  }

  #next(): string | undefined {
    if (this.#queue.length === 0) {
      this.#hurried = false;
      if (this.#props.context.clock.nowMs() < this.#nextRoundMs) return undefined;
      this.#beginRound();
    }
    return this.#queue.shift();
  }

  #pauseMs(): number {
    const { random, context } = this.#props;
    if (this.#hurried) return HURRIED_PAUSE_MS;
    const leftMs = this.#nextRoundMs - context.clock.nowMs();
    return Math.max(LEAST_PAUSE_MS, (leftMs / (this.#queue.length + 1)) * (0.5 + random()));
  }

  // Never throws: what failed is checked again.
  async #check(id: string): Promise<Checked> {
    const { context, outbox } = this.#props;
    const ends: Checked[] = [];
    try {
      await outbox.alone(id, async () => {
        const { checked, restMs } = await checkRow(context, id);
        ends.push(checked);
        return restMs;
      });
    } catch (thrown) {
      context.logger.warn('a claim at the IPAM-API could not be checked', { trace: traceOf(thrown) });
      ends.push('failed');
    }
    const [checked = 'skipped'] = ends;
    if (checked === 'skipped') return checked;
    context.meter.count('remote_checks_total', { result: checked });
    if (checked === 'registered') this.#tell(id);
    return checked;
  }

  #tell(id: string): void {
    const { table, logger } = this.#props.context;
    const { network, zone, address } = table.get(id)?.intent ?? {};
    const fields = { network, zone, address: address?.toString() };
    logger.warn('the IPAM-API did not know the address of a Service, which is registered there again', fields);
  }
}
