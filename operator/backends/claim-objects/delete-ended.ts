import { recordTerm as term } from '../../claim-store/record-terms';
import type { ClaimIndex } from './claim-index';
import type { ClaimVerb } from './claim-verb';
import type { ClaimView } from './claim-view';
import { over, type ClaimWrite } from './claim-write';
import { fittingWrites } from './decision-size';
import { Job } from './verb-queue';

/** Pause between two rounds of deletes of one network. */
const EVERY_MS = 60_000;
/** Pause before more of them are deleted than one round can. */
const GO_ON_MS = 100;
/** Longest pause before a network without calls is looked at again. */
const LONGEST_PAUSE_MS = 600_000;

/**
 * Tells whether a stored claim is a quarantine that is over.
 *
 * @param view - the claims
 * @param name - of its object
 * @returns true for one that holds its space no longer
 */
export function isEnded(view: ClaimView, name: string): boolean {
  const record = view.stored(name)?.record;
  return record?.quarantine !== undefined && !view.isLive(record);
}

// Decides as many deletes as one decision can hold; answers whether more are left.
function deleteEndedVerb(network: string, most: number): ClaimVerb<boolean> {
  return {
    decide: (view) => {
      const names = view.all(term.quarantined(network)).map((record) => view.nameOf(record));
      const ended = names.filter((name) => view.deciding(name) === undefined && isEnded(view, name));
      if (ended.length === 0) return { as: 'answer', value: false };
      const writes = ended.slice(0, most).map((name): ClaimWrite => ({ name, ...over(view.stored(name)) }));
      const fitting = fittingWrites(writes);
      return { as: 'writes', writes: fitting, answer: () => ended.length > fitting.length };
    },
  };
}

/** Parts of a {@link EndedSweep}. */
export interface EndedSweepParts {
  readonly network: string;
  readonly index: ClaimIndex;
  /** Decisions of one round, and the most objects that each of them deletes. */
  readonly round: { readonly decisions: number; readonly deletes: number };
  /** Asks for a commit after a pause, unless one is asked for before. */
  readonly later: (ms: number) => void;
}

/**
 * Deletes the quarantines of one network that are over. They hold no space, but each one that a larger prefix covers has to be deleted
 * before that is taken, and nothing else deletes them.
 */
export class EndedSweep {
  readonly #parts: EndedSweepParts;
  /** Moment of the next round. */
  #atMs: number | undefined;
  #nowMs = 0;

  /**
   * Starts without a round.
   *
   * @param parts - claims, size of a round, and the way to a commit
   */
  constructor(parts: EndedSweepParts) {
    this.#parts = parts;
  }

  /**
   * Begins a round where it is time. Its jobs stand behind the calls of a batch, so that none of them waits long; a failure is left to the
   * next round.
   *
   * @param nowMs - the present by the server's clock
   * @returns the jobs of the round
   */
  jobs(nowMs: number): readonly Job[] {
    this.#nowMs = nowMs;
    this.#atMs ??= nowMs + EVERY_MS;
    if (nowMs < this.#atMs) return [];
    this.#atMs = nowMs + EVERY_MS;
    const { network, index, round } = this.#parts;
    const count = Math.min(round.decisions, index.count(term.quarantined(network)));
    return Array.from({ length: count }, () => this.#job(nowMs));
  }

  /** Asks for a commit once the next quarantine is over, since no call may come. */
  askLater(): void {
    const { network, index, later } = this.#parts;
    let nextMs = Infinity;
    for (const { record } of index.all(term.quarantined(network))) {
      nextMs = Math.min(nextMs, record.quarantine?.untilMs ?? Infinity);
    }
    if (nextMs === Infinity) return;
    later(Math.min(LONGEST_PAUSE_MS, Math.max(EVERY_MS, nextMs - this.#nowMs)));
  }

  #job(nowMs: number): Job {
    const { network, round, later } = this.#parts;
    const job = new Job(deleteEndedVerb(network, round.deletes));
    job.answered.then(
      (outcome) => {
        if (!outcome.ok || outcome.value !== true) return;
        this.#atMs = nowMs;
        later(GO_ON_MS);
      },
      () => undefined,
    );
    return job;
  }
}
