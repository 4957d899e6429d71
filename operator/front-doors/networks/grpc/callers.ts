import { NEPHIO_GROUP } from '../../../contract/nephio';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { Clock } from '../../../ports/clock';
import type { TokenAccess, TokenUser } from '../../../ports/token-access';
import { bearerToken, digestOf, KnownAnswers } from '../../../runtime/known-answers';

/** Verb of a call, in the words of Kubernetes' rights on IPAllocations. */
export type CallVerb = 'create' | 'delete' | 'get' | 'list' | 'watch';

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
      const token = bearerToken(authorization);
      if (token === undefined) {
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
