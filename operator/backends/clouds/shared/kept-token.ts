import type { Clock } from '../../../ports/clock';

/** A token with the moment at which it ends. */
export interface TimedToken<T> {
  readonly token: T;
  readonly endsAtMs: number;
}

/** Time before its end at which a token is not used any more. */
const MARGIN_MS = 120_000;

/**
 * A token that is fetched when it is needed, once for all callers, and again before it ends, or when what it was made of has changed. Safe for
 * parallel calls.
 */
export class KeptToken<T> {
  readonly #clock: Pick<Clock, 'nowMs'>;
  #from = '';
  #known: TimedToken<T> | undefined;
  #fetching: Promise<TimedToken<T>> | undefined;

  /**
   * Starts without a token.
   *
   * @param clock - by which tokens end
   */
  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  /**
   * Gives a token.
   *
   * @param from - text that changes with what the token is made of
   * @param fetchNew - gets a new one
   * @returns one that is valid for two minutes at least
   * @throws whatever `fetchNew` throws
   */
  async get(from: string, fetchNew: () => Promise<TimedToken<T>>): Promise<T> {
    const isOver = this.#known !== undefined && this.#known.endsAtMs - MARGIN_MS <= this.#clock.nowMs();
    if (this.#from !== from || isOver) this.forget();
    this.#from = from;
    this.#fetching ??= this.#fetched(fetchNew());
    return (await this.#fetching).token;
  }

  /** Forgets the token: it was not taken. */
  forget(): void {
    this.#fetching = undefined;
    this.#known = undefined;
  }

  // A failure is not kept, so that the next caller tries again.
  #fetched(asked: Promise<TimedToken<T>>): Promise<TimedToken<T>> {
    const fetching: Promise<TimedToken<T>> = asked.then(
      (fetched) => {
        if (this.#fetching === fetching) this.#known = fetched;
        return fetched;
      },
      (thrown: unknown) => {
        if (this.#fetching === fetching) this.forget();
        throw thrown;
      },
    );
    return fetching;
  }
}
