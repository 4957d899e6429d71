import { isMap, type JsonMap } from '../../contract/loose-json';
import type { ApiUser } from '../../contract/api-user';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { UserAccess, WantedAccess, WantedPath } from '../../ports/token-access';
import type { ApiClient } from '../api/api-client';
import { apiPath } from '../api/api-path';
import { unavailableWithoutText } from '../api/api-refusal';

/** Asks the API server about rights by SubjectAccessReview. */
export class AccessReviews implements UserAccess {
  readonly #client: ApiClient;

  /**
   * Makes one over an open client.
   *
   * @param client - the API server
   */
  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** @inheritdoc */
  async allows(user: ApiUser, wanted: WantedAccess): Promise<Outcome<void>> {
    if (await this.#mayDo(user, { resourceAttributes: { ...wanted, version: '*' } })) return accept(undefined);
    const { verb, resource, group, namespace, name } = wanted;
    const which = name === undefined ? '' : ` "${name}"`;
    const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
    return refuse('api/forbidden', `"${user.username}" may not ${verb} ${resource}.${group}${which}${where}`);
  }

  /**
   * Asks whether a user may call a path.
   *
   * @param user - the caller
   * @param wanted - verb and path
   * @returns nothing; or `api/forbidden`
   * @throws IpamError where the cluster does not answer
   */
  async allowsPath(user: ApiUser, wanted: WantedPath): Promise<Outcome<void>> {
    if (await this.#mayDo(user, { nonResourceAttributes: { ...wanted } })) return accept(undefined);
    return refuse('api/forbidden', `"${user.username}" may not ${wanted.verb} ${wanted.path}`);
  }

  async #mayDo({ username, uid, groups, extra }: ApiUser, attributes: JsonMap): Promise<boolean> {
    const status = await review(this.#client, 'authorization.k8s.io/v1', {
      kind: 'SubjectAccessReview',
      spec: { user: username, uid, groups, extra, ...attributes },
    });
    return status['allowed'] === true && status['denied'] !== true;
  }
}

/**
 * Asks the API server for a review.
 *
 * @param client - the API server
 * @param apiVersion - of its kind
 * @param asked - kind, and question
 * @param asked.kind - such as `TokenReview`
 * @param asked.spec - the question
 * @returns the answer
 * @throws IpamError `cluster/unavailable` where there is none
 */
export async function review(
  client: ApiClient,
  apiVersion: string,
  { kind, spec }: { readonly kind: string; readonly spec: JsonMap },
): Promise<JsonMap> {
  const answer = await client.request({
    method: 'POST',
    path: apiPath({ apiVersion, resource: `${kind.toLowerCase()}s` }),
    body: { apiVersion, kind, spec },
  });
  if (!answer.ok) throw unavailableWithoutText(`make a ${kind}`, answer);
  return isMap(answer.body['status']) ? answer.body['status'] : {};
}
