import { TokenReviews } from '../cluster/objects/token-reviews';
import { refuse } from '../errors/outcome';
import type { Clock } from '../ports/clock';
import type { PathAccess, TokenUser } from '../ports/token-access';
import { bearerToken, digestOf, KnownAnswers } from '../runtime/known-answers';
import type { MetricsCallers } from '../server/metrics-guard';
import type { Settings } from '../settings/options';
import type { Environment } from './environment';

/** The right that a caller of the metrics needs. */
const WANTED = { verb: 'get', path: '/metrics' } as const;

/**
 * Makes the judge of the callers of the metrics, where they need a token.
 *
 * @param settings - where the metrics listen
 * @param environment - the cluster
 * @param clock - tells how long an answer of the API server counts
 * @returns the judge; undefined where the metrics need no token
 */
export function metricsCallers(
  { metricsBindAddress }: Pick<Settings, 'metricsBindAddress'>,
  environment: Environment,
  clock: Clock,
): MetricsCallers | undefined {
  // without a cluster the start has ended before: see `requireServed`
  if (metricsBindAddress === undefined || environment.kind === 'standalone') return undefined;
  return judgeByToken(new TokenReviews(environment.client), clock);
}

/**
 * Judges callers by their tokens, which the API server knows, and by their right to get `/metrics`.
 *
 * @param access - the API server
 * @param clock - tells how long an answer of the API server counts
 * @returns refusals without a token or without the right
 */
export function judgeByToken(access: PathAccess, clock: Clock): MetricsCallers {
  const users = new KnownAnswers<TokenUser>(clock);
  const rights = new KnownAnswers<void>(clock);
  return {
    judge: async (authorization, peer) => {
      const token = bearerToken(authorization);
      if (token === undefined) {
        const message = 'the request has no token; send it as header "Authorization: Bearer TOKEN"';
        return refuse('api/unauthenticated', message);
      }
      const user = await users.ask({ key: digestOf(token), asker: peer }, () => access.userOf(token));
      if (!user.ok) return user;
      const right = { key: digestOf(JSON.stringify(user.value)), asker: user.value.username };
      return rights.ask(right, () => access.allowsPath(user.value, WANTED));
    },
  };
}
