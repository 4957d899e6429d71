import { FIELD_MANAGER } from '../../contract/group';
import { isMap, listOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { IpamError } from '../../errors/ipam-error';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { KubernetesObjects, ObjectVersion } from '../../ports/objects';
import type { ApiAnswer, ApiClient, ApiRequest } from '../api/api-client';
import { apiPath } from '../api/api-path';
import { isRuled } from '../api/api-refusal';
import { openObjectFeed, type FeedTools, type WatchedObjects } from '../watch/object-feed';

/** Which objects a port serves. */
export interface ObjectKind {
  /** For example `metallb.io/v1beta1`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Plural name in lower case, for example `ipaddresspools`. */
  readonly resource: string;
  /** Left out for kinds of the whole cluster. */
  readonly namespace?: string;
}

/** Objects of one kind on a real cluster. */
export interface ClusterObjects extends KubernetesObjects {
  /** Ends the watch. Resolves when nothing is under way. */
  close(): Promise<void>;
}

/**
 * Opens the objects of one kind. The watch begins with its first listener.
 *
 * @param client - the API server
 * @param kind - which objects
 * @param tools - clock and telemetry of the watch
 * @returns the port
 */
export function openClusterObjects(client: ApiClient, kind: ObjectKind, tools: FeedTools): ClusterObjects {
  return new RawObjects(client, kind, tools);
}

class RawObjects implements ClusterObjects {
  readonly #client: ApiClient;
  readonly #kind: ObjectKind;
  readonly #tools: FeedTools;
  #feed: WatchedObjects | undefined;

  constructor(client: ApiClient, kind: ObjectKind, tools: FeedTools) {
    this.#client = client;
    this.#kind = kind;
    this.#tools = tools;
  }

  async list(): Promise<readonly JsonMap[]> {
    const answer = await this.#call({ method: 'GET', path: this.#path() });
    if (!answer.ok) throw this.#unexpected(answer);
    return listOf(answer.body['items']).filter(isMap);
  }

  async apply(object: JsonMap, options: { readonly takeOver?: boolean } = {}): Promise<Outcome<JsonMap>> {
    const { apiVersion, kind } = this.#kind;
    const metadata = metadataOf(object);
    const answer = await this.#call({
      method: 'PATCH',
      path: this.#path(textOf(metadata['name'])),
      query: { fieldManager: FIELD_MANAGER, ...(options.takeOver === true ? { force: 'true' } : {}) },
      contentType: 'application/apply-patch+yaml',
      body: { apiVersion, kind, ...object },
    });
    if (answer.ok) return accept(answer.body);
    return this.#refused(answer);
  }

  async delete(name: string, version?: ObjectVersion): Promise<Outcome<void>> {
    const body = version === undefined ? {} : { body: { preconditions: { ...version } } };
    const answer = await this.#call({ method: 'DELETE', path: this.#path(name), ...body });
    if (answer.ok || answer.status === 404) return accept(undefined);
    return this.#refused(answer);
  }

  watch(listener: (name: string) => void): () => void {
    const { apiVersion, resource, namespace } = this.#kind;
    const source = { resource: { apiVersion, resource, ...(namespace === undefined ? {} : { namespace }) } };
    this.#feed ??= openObjectFeed(this.#client, source, this.#tools);
    return this.#feed.onChange(({ key }) => {
      listener(key.name);
    });
  }

  async close(): Promise<void> {
    await this.#feed?.close();
  }

  #path(name?: string): string {
    const { apiVersion, resource, namespace } = this.#kind;
    const within = namespace === undefined ? {} : { namespace };
    return apiPath({ apiVersion, resource, ...within, ...(name === undefined ? {} : { name }) });
  }

  #call(request: ApiRequest): Promise<ApiAnswer> {
    return this.#client.request(request);
  }

  #refused(answer: ApiAnswer & { ok: false }): Outcome<never> {
    if (answer.status === 409) return refuse('store/conflict', answer.message);
    if (isRuled(answer)) return refuse('cluster/refused', answer.message);
    throw this.#unexpected(answer);
  }

  // 404 for a list or an apply: the kind is not installed
  #unexpected({ status, message }: ApiAnswer & { ok: false }): IpamError {
    const { resource, apiVersion } = this.#kind;
    const hint = status === 404 ? `; are the CRDs of ${apiVersion} installed?` : '';
    return new IpamError(
      'cluster/unavailable',
      `the API server answered ${String(status)} for ${resource}: ${message}${hint}`,
    );
  }
}
