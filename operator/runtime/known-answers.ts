import { createHash } from 'node:crypto';

import { refuse, type Outcome } from '../errors/outcome';
import type { Clock } from '../ports/clock';

/** How long an answer of the API server counts. A right that was taken away, or a token that ended, counts for as long. */
const KNOWN_MS = 10_000;
/** Answers of one sort that are kept: rights and refusals apart, so that tokens that are not valid push no valid one out. */
const MOST_KNOWN = 4096;
/** Questions to the API server at once about tokens, and as many about rights: any client can send tokens. */
const MOST_ASKED = 32;
/** Those of them that one peer, or one user, may have. */
const MOST_ASKED_BY_ONE = 8;
/** Longest token in characters; that of a ServiceAccount has about 1,000. */
const MOST_TOKEN = 16_384;

/**
 * Reads the token of an Authorization header.
 *
 * @param authorization - value of the header
 * @returns the token; undefined where there is none, or one that is too long
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  const [, token = ''] = /^Bearer +(\S+)$/iu.exec(authorization ?? '') ?? [];
  return token === '' || token.length > MOST_TOKEN ? undefined : token;
}

/**
 * Makes the key of a question, so that neither a token nor a name is kept.
 *
 * @param text - the question
 * @returns its digest
 */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');

interface Known<V> {
  readonly untilMs: number;
  readonly answer: Promise<Outcome<V>>;
}

/** A question, and the peer or user that it is asked for. */
interface Asked {
  readonly key: string;
  readonly asker: string;
}

/** Answers of the API server, for a moment. Calls that ask the same at the same time share one question. */
export class KnownAnswers<V> {
  readonly #clock: Clock;
  /** Answers that are awaited or allow. */
  readonly #known = new Map<string, Known<V>>();
  readonly #refused = new Map<string, Known<V>>();
  /** Questions under way by each asker. */
  readonly #asking = new Map<string, number>();
  #asked = 0;

  /**
   * Begins with no answers.
   *
   * @param clock - for the age of answers
   */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns the answer that is known, or asks.
   *
   * @param asked - key of the question, and peer or user
   * @param question - asks the API server
   * @returns its answer; or `api/busy` while too many questions are under way
   */
  ask(asked: Asked, question: () => Promise<Outcome<V>>): Promise<Outcome<V>> {
    const { key, asker } = asked;
    const nowMs = this.#clock.nowMs();
    const known = this.#known.get(key) ?? this.#refused.get(key);
    // a clock that went back makes nothing known for longer
    if (known !== undefined && nowMs < known.untilMs && known.untilMs <= nowMs + KNOWN_MS) return known.answer;
    if (this.#asked >= MOST_ASKED || (this.#asking.get(asker) ?? 0) >= MOST_ASKED_BY_ONE) {
      return Promise.resolve(refuse('api/busy', 'too many callers are being looked up; try again in a moment'));
    }
    const fresh = { untilMs: nowMs + KNOWN_MS, answer: this.#question(asker, question) };
    this.#refused.delete(key);
    keep(this.#known, key, fresh);
    this.#sort(key, fresh);
    return fresh.answer;
  }

  #sort(key: string, fresh: Known<V>): void {
    const forget = (): boolean => this.#known.get(key) === fresh && this.#known.delete(key);
    fresh.answer.then(({ ok }) => {
      if (!ok && forget()) keep(this.#refused, key, fresh);
    }, forget);
  }

  async #question(asker: string, question: () => Promise<Outcome<V>>): Promise<Outcome<V>> {
    this.#asked += 1;
    this.#asking.set(asker, (this.#asking.get(asker) ?? 0) + 1);
    try {
      return await question();
    } finally {
      this.#asked -= 1;
      const left = (this.#asking.get(asker) ?? 1) - 1;
      if (left === 0) this.#asking.delete(asker);
      else this.#asking.set(asker, left);
    }
  }
}

function keep<V>(answers: Map<string, Known<V>>, key: string, known: Known<V>): void {
  answers.delete(key); // so that it goes to the end
  answers.set(key, known);
  const [oldest] = answers.keys();
  if (answers.size > MOST_KNOWN && oldest !== undefined) answers.delete(oldest);
}
