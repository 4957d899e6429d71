import { accept, type Outcome } from '../../errors/outcome';
import type { ClaimVerb } from './claim-verb';

/** Most verbs that are decided together. */
const BATCH = 32;

/** One call that waits for its answer. */
export class Job {
  readonly verb: ClaimVerb<unknown>;
  /** Times that its decision could not be carried out. */
  tries = 0;
  readonly answered: Promise<Outcome<unknown>>;
  #resolve: (outcome: Outcome<unknown>) => void = () => undefined;
  #reject: (thrown: unknown) => void = () => undefined;

  /**
   * Starts to wait.
   *
   * @param verb - of the call
   */
  constructor(verb: ClaimVerb<unknown>) {
    this.verb = verb;
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /**
   * Answers with a value.
   *
   * @param value - result of the verb
   */
  accept(value: unknown): void {
    this.#resolve(accept(value));
  }

  /**
   * Answers with a refusal.
   *
   * @param outcome - the refusal
   */
  refuse(outcome: Outcome<never>): void {
    this.#resolve(outcome);
  }

  /**
   * Ends without an answer; without effect on a call that has one.
   *
   * @param thrown - the cause
   */
  fail(thrown: unknown): void {
    this.#reject(thrown);
  }
}

/** The calls of one network in their order, decided in batches of which one at a time is under way. */
export class VerbQueue {
  readonly #commit: (jobs: readonly Job[]) => Promise<readonly Job[]>;
  readonly #idle: () => void;
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;
  readonly #unanswered = new Set<Job>();

  /**
   * Starts empty.
   *
   * @param commit - decides a batch and carries it out; returns the calls that are to be decided again
   * @param idle - called each time that no call is left
   */
  constructor(commit: (jobs: readonly Job[]) => Promise<readonly Job[]>, idle: () => void = () => undefined) {
    this.#commit = commit;
    this.#idle = idle;
  }

  /**
   * Waits for the turn of a call.
   *
   * @param verb - of the call
   * @returns its answer
   */
  run<V>(verb: ClaimVerb<V>): Promise<Outcome<V>> {
    const job = new Job(verb);
    this.#waiting.push(job);
    this.#unanswered.add(job);
    const forget = (): void => {
      this.#unanswered.delete(job);
    };
    job.answered.then(forget, forget);
    this.#running ??= this.#work();
    return job.answered as Promise<Outcome<V>>;
  }

  /**
   * Waits for every call so far.
   *
   * @returns when all of them are answered, in whatever order
   */
  async answered(): Promise<void> {
    await Promise.allSettled([...this.#unanswered].map((job) => job.answered));
  }

  /**
   * Waits until no call is left.
   *
   * @returns when nothing is under way
   */
  async drained(): Promise<void> {
    await this.#running;
  }

  async #work(): Promise<void> {
    // calls of the same moment are decided together
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      try {
        const again = await this.#commit(batch);
        this.#waiting.unshift(...again);
      } catch (thrown) {
        for (const job of batch) job.fail(thrown);
      }
    }
    this.#running = undefined;
    this.#idle();
  }
}
