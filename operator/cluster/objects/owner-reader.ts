import { groupOf } from '../../contract/api-group';
import { isMap, listOf, metadataOf, textOf } from '../../contract/loose-json';
import type { OwnerLook, OwnerName, OwnerReader } from '../../ports/owner-reader';
import type { ApiClient } from '../api/api-client';
import { apiPath } from '../api/api-path';
import { unavailable } from '../api/api-refusal';

// it becomes a part of a path
const API_VERSION = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\/)?v[0-9a-z]+$/u;

/**
 * Reads objects of the resources that the operator may read. The resource of a kind comes from the discovery of the API server, which needs
 * no right.
 */
export class KubernetesOwnerReader implements OwnerReader {
  readonly #client: ApiClient;
  readonly #allowed: readonly string[];

  /**
   * Makes one over an open client.
   *
   * @param client - the API server
   * @param allowed - resources such as `services` or `deployments.apps`
   */
  constructor(client: ApiClient, allowed: readonly string[]) {
    this.#client = client;
    this.#allowed = allowed;
  }

  /** @inheritdoc */
  async look({ apiVersion, kind, namespace, name }: OwnerName): Promise<OwnerLook> {
    if (!API_VERSION.test(apiVersion)) return { state: 'unknownKind' };
    const group = groupOf(apiVersion);
    // the author of a reference must not choose what the API server is asked for, such as the path of a broken group
    if (!this.#allowed.some((each) => groupOfResource(each) === group)) return { state: 'notAllowed' };
    const resource = await this.#resourceOf(apiVersion, kind);
    if (resource === undefined) return { state: 'unknownKind' };
    if (!this.#allowed.includes(group === '' ? resource : `${resource}.${group}`)) return { state: 'notAllowed' };
    const answer = await this.#client.request({
      method: 'GET',
      path: apiPath({ apiVersion, resource, namespace, name }),
    });
    if (answer.ok) return { state: 'stored', uid: textOf(metadataOf(answer.body)['uid']) };
    if (answer.status === 404) return { state: 'missing' };
    if (answer.status === 403) return { state: 'notAllowed' };
    throw unavailable(`read ${kind} "${namespace}/${name}"`, answer);
  }

  async #resourceOf(apiVersion: string, kind: string): Promise<string | undefined> {
    const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const answer = await this.#client.request({ method: 'GET', path });
    if (!answer.ok && answer.status === 404) return undefined;
    if (!answer.ok) throw unavailable(`tell the kinds of ${apiVersion}`, answer);
    const found = listOf(answer.body['resources']).find(
      (each) =>
        isMap(each) && each['kind'] === kind && each['namespaced'] === true && !textOf(each['name']).includes('/'),
    );
    return isMap(found) ? textOf(found['name']) : undefined;
  }
}

// such as `apps` of `deployments.apps`
const groupOfResource = (resource: string): string => resource.split('.').slice(1).join('.');
