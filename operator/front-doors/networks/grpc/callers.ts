import { createHash } from 'node:crypto';

import { NEPHIO_GROUP } from '../../../contract/nephio';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { Clock } from '../../../ports/clock';
import type { TokenAccess, TokenUser } from '../../../ports/token-access';

/** Verb of a call, in the words of Kubernetes' rights on IPAllocations. */
export type CallVerb = 'create' | 'delete' | 'get' | 'list' | 'watch';

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

/** Facts by which a call is judged, beside its token. */
interface CallerWish {
  readonly verb: CallVerb;
  readonly namespace: string;
  /** Address of the other end of the connection. */
  readonly peer: string;
}

/** Judges the callers of the gRPC API. */
export interface Callers {
  /**
   * Judges a call.
   *
   * @param authorization - metadata of that name
   * @param wanted - what the call does, in which namespace, and from where it comes
   * @returns name of the user; or `api/unauthenticated`, `api/forbidden`, `api/busy`
   * @throws IpamError where the cluster does not answer
   */
  judge(authorization: string | undefined, wanted: CallerWish): Promise<Outcome<string>>;
}

/** Lets every caller do everything, each address as one user; by explicit setting only. */
export const ANONYMOUS_CALLERS: Callers = {
  judge: (_authorization, { peer }) => Promise.resolve(accept(peer)),
};

/**
 * Judges callers by their tokens, which the API server knows, and by their rights on IPAllocations.
 *
 * @param access - the API server
 * @param clock - for answers that are kept for a moment
 * @returns the judge
 */
export function tokenCallers(access: TokenAccess, clock: Clock): Callers {
  const users = new KnownAnswers<TokenUser>(clock);
  const rights = new KnownAnswers<void>(clock);
  return {
    judge: async (authorization, { verb, namespace, peer }) => {
      const [, token = ''] = /^Bearer +(\S+)$/iu.exec(authorization ?? '') ?? [];
      if (token === '' || token.length > MOST_TOKEN) {
        return refuse(
          'api/unauthenticated',
          'the call has no token; send it as metadata "authorization: Bearer TOKEN"',
        );
      }
      const user = await users.ask({ key: digestOf(token), asker: peer }, () => access.userOf(token));
      if (!user.ok) return user;
      const wanted = { verb, group: NEPHIO_GROUP, resource: 'ipallocations', namespace };
      const key = digestOf(JSON.stringify([user.value, verb, namespace]));
      const { username } = user.value;
      const may = await rights.ask({ key, asker: username }, () => access.allows(user.value, wanted));
      return may.ok ? accept(username) : may;
    },
  };
}

// Neither a token nor a name is kept.
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');

interface Known<V> {
  readonly untilMs: number;
  readonly answer: Promise<Outcome<V>>;
}

/** A call, and its peer or user. */
interface Asked {
  readonly key: string;
  readonly asker: string;
}

/** Answers of the API server, for a moment. Calls that ask the same at the same time share one question. */
class KnownAnswers<V> {
  readonly #clock: Clock;
  /** Answers that are awaited or allow. */
  readonly #known = new Map<string, Known<V>>();
  readonly #refused = new Map<string, Known<V>>();
  /** Questions under way by each asker. */
  readonly #asking = new Map<string, number>();
  #asked = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

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
