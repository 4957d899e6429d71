import { createHash } from 'node:crypto';

import { NEPHIO_GROUP } from '../../../contract/nephio';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { Clock } from '../../../ports/clock';
import type { TokenAccess, TokenUser } from '../../../ports/token-access';

/** What a call does, in the words of Kubernetes' rights on IPAllocations. */
export type CallVerb = 'create' | 'delete' | 'get' | 'list' | 'watch';

/** How long an answer of the API server counts. A right that was taken away, or a token that ended, counts for as long. */
const KNOWN_MS = 10_000;
/** Answers that are kept; each caller can make few of them. */
const MOST_KNOWN = 4096;
/** Questions to the API server at once: any client can send tokens. */
const MOST_ASKED = 32;
/** Longest token in characters; that of a ServiceAccount has about 1,000. */
const MOST_TOKEN = 16_384;

/** Tells who calls, and whether they may. */
export interface Callers {
  /**
   * Judges a call.
   *
   * @param authorization - metadata of that name
   * @param wanted - what the call does, and in which namespace
   * @returns nothing; or `api/unauthenticated`, `api/forbidden`, `api/busy`
   * @throws IpamError where the cluster does not answer
   */
  judge(
    authorization: string | undefined,
    wanted: { readonly verb: CallVerb; readonly namespace: string },
  ): Promise<Outcome<void>>;
}

/** Lets every caller do everything; by explicit setting only. */
export const ANONYMOUS_CALLERS: Callers = { judge: () => Promise.resolve(accept(undefined)) };

/**
 * Judges callers by their tokens, which the API server knows, and by their rights on IPAllocations.
 *
 * @param access - the API server
 * @param clock - for answers that are kept for a moment
 * @returns the judge
 */
export function tokenCallers(access: TokenAccess, clock: Clock): Callers {
  const asked = { now: 0 };
  const users = new KnownAnswers<TokenUser>(clock, asked);
  const rights = new KnownAnswers<void>(clock, asked);
  return {
    judge: async (authorization, { verb, namespace }) => {
      const [, token = ''] = /^Bearer +(\S+)$/iu.exec(authorization ?? '') ?? [];
      if (token === '' || token.length > MOST_TOKEN) {
        return refuse(
          'api/unauthenticated',
          'the call has no token; send it as metadata "authorization: Bearer TOKEN"',
        );
      }
      const user = await users.ask(digestOf(token), () => access.userOf(token));
      if (!user.ok) return user;
      const wanted = { verb, group: NEPHIO_GROUP, resource: 'ipallocations', namespace };
      const key = digestOf(JSON.stringify([user.value, verb, namespace]));
      return rights.ask(key, () => access.allows(user.value, wanted));
    },
  };
}

// Neither a token nor a name is kept.
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');

interface Known<V> {
  readonly untilMs: number;
  readonly answer: Promise<Outcome<V>>;
}

/** Answers of the API server, for a moment. Calls that ask the same at the same time share one question. */
class KnownAnswers<V> {
  readonly #clock: Clock;
  readonly #asked: { now: number };
  readonly #known = new Map<string, Known<V>>();

  constructor(clock: Clock, asked: { now: number }) {
    this.#clock = clock;
    this.#asked = asked;
  }

  ask(key: string, question: () => Promise<Outcome<V>>): Promise<Outcome<V>> {
    const nowMs = this.#clock.nowMs();
    const known = this.#known.get(key);
    // a clock that went back makes nothing known for longer
    if (known !== undefined && nowMs < known.untilMs && known.untilMs <= nowMs + KNOWN_MS) return known.answer;
    if (this.#asked.now >= MOST_ASKED) {
      return Promise.resolve(refuse('api/busy', 'too many callers are being looked up; try again in a moment'));
    }
    const answer = this.#question(question);
    this.#known.delete(key); // so that it goes to the end
    this.#known.set(key, { untilMs: nowMs + KNOWN_MS, answer });
    const forget = (): void => {
      if (this.#known.get(key)?.answer === answer) this.#known.delete(key);
    };
    answer.catch(forget);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST_KNOWN) break;
      this.#known.delete(oldest);
    }
    return answer;
  }

  async #question(question: () => Promise<Outcome<V>>): Promise<Outcome<V>> {
    this.#asked.now += 1;
    try {
      return await question();
    } finally {
      this.#asked.now -= 1;
    }
  }
}
