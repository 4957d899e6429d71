import { readApiUser } from '../../contract/api-user';
import { listOf } from '../../contract/loose-json';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { PathAccess, TokenAccess, TokenUser } from '../../ports/token-access';
import type { ApiClient } from '../api/api-client';
import { AccessReviews, review } from './access-reviews';

/** Asks the API server about tokens and rights by TokenReview and SubjectAccessReview. */
export class TokenReviews extends AccessReviews implements TokenAccess, PathAccess {
  readonly #client: ApiClient;
  readonly #audience: string | undefined;

  /**
   * Makes one over an open client.
   *
   * @param client - the API server
   * @param audience - for which tokens must have been issued; absent: that of the API server
   */
  constructor(client: ApiClient, audience?: string) {
    super(client);
    this.#client = client;
    this.#audience = audience;
  }

  /** @inheritdoc */
  async userOf(token: string): Promise<Outcome<TokenUser>> {
    const audience = this.#audience;
    const spec = audience === undefined ? { token } : { token, audiences: [audience] };
    const status = await review(this.#client, 'authentication.k8s.io/v1', { kind: 'TokenReview', spec });
    const isMeant = audience === undefined || listOf(status['audiences']).includes(audience);
    if (status['authenticated'] !== true || !isMeant) {
      const meant = audience === undefined ? 'the API server' : `the audience "${audience}"`;
      const message = `the token is not valid, or not issued for ${meant}`;
      return refuse('api/unauthenticated', message);
    }
    return accept(readApiUser(status['user']));
  }
}
