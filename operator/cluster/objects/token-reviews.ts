import { isMap, listOf, mapOf, textOf, type JsonMap } from '../../contract/loose-json';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { TokenAccess, TokenUser, WantedAccess } from '../../ports/token-access';
import type { ApiClient } from '../api/api-client';
import { apiPath } from '../api/api-path';
import { unavailableWithoutText } from '../api/api-refusal';

const AUTHENTICATION = 'authentication.k8s.io/v1';
const AUTHORIZATION = 'authorization.k8s.io/v1';

/** Asks the API server about tokens and rights by TokenReview and SubjectAccessReview. */
export class TokenReviews implements TokenAccess {
  readonly #client: ApiClient;
  readonly #audience: string;

  /**
   * Makes one over an open client.
   *
   * @param client - the API server
   * @param audience - for which tokens must have been issued
   */
  constructor(client: ApiClient, audience: string) {
    this.#client = client;
    this.#audience = audience;
  }

  /** @inheritdoc */
  async userOf(token: string): Promise<Outcome<TokenUser>> {
    const spec = { token, audiences: [this.#audience] };
    const status = await this.#review(AUTHENTICATION, 'TokenReview', spec);
    const isMeant = listOf(status['audiences']).includes(this.#audience);
    if (status['authenticated'] !== true || !isMeant) {
      const message = `the token is not valid, or not issued for the audience "${this.#audience}"`;
      return refuse('api/unauthenticated', message);
    }
    const user = mapOf(status['user']);
    return accept({
      username: textOf(user['username']),
      uid: textOf(user['uid']),
      groups: textsOf(user['groups']),
      extra: Object.fromEntries(Object.entries(mapOf(user['extra'])).map(([key, values]) => [key, textsOf(values)])),
    });
  }

  /** @inheritdoc */
  async allows({ username, uid, groups, extra }: TokenUser, wanted: WantedAccess): Promise<Outcome<void>> {
    const status = await this.#review(AUTHORIZATION, 'SubjectAccessReview', {
      ...{ user: username, uid, groups, extra },
      resourceAttributes: { ...wanted, version: '*' },
    });
    if (status['allowed'] === true && status['denied'] !== true) return accept(undefined);
    const { verb, resource, group, namespace } = wanted;
    return refuse('api/forbidden', `"${username}" may not ${verb} ${resource}.${group} in namespace ${namespace}`);
  }

  async #review(apiVersion: string, kind: string, spec: JsonMap): Promise<JsonMap> {
    const answer = await this.#client.request({
      method: 'POST',
      path: apiPath({ apiVersion, resource: `${kind.toLowerCase()}s` }),
      body: { apiVersion, kind, spec },
    });
    if (!answer.ok) throw unavailableWithoutText(`make a ${kind}`, answer);
    return isMap(answer.body['status']) ? answer.body['status'] : {};
  }
}

const textsOf = (values: unknown): readonly string[] => listOf(values).filter((each) => typeof each === 'string');
