import { FIELD_MANAGER } from '../../contract/group';
import { metadataOf, type JsonMap } from '../../contract/loose-json';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { EventRecorder } from '../../ports/event-recorder';
import type { ServiceKey } from '../../ports/service-feed';
import type { ServiceCondition, ServiceEvent, ServiceWriter } from '../../ports/service-writer';
import type { ApiClient, ApiRequest } from '../api/api-client';
import { apiPath } from '../api/api-path';
import { unavailable, type ApiRefusal } from '../api/api-refusal';

/** What a {@link KubernetesServiceWriter} works with. */
export interface ServiceWriterProps {
  readonly client: ApiClient;
  readonly events: EventRecorder;
}

/** What one write sends. */
type Patch = Required<Pick<ApiRequest, 'body' | 'contentType'>> & Pick<ApiRequest, 'query'>;

/**
 * Writes to stored Services through `services/status`, where annotations and conditions may be patched and the
 * spec is ignored. Each patch names the UID, so that none reaches an object made anew under the same name.
 *
 * Safe for parallel calls. Needs no start; ends with its client.
 */
export class KubernetesServiceWriter implements ServiceWriter {
  readonly #client: ApiClient;
  readonly #events: EventRecorder;

  /**
   * Makes one over an open client.
   *
   * @param props - client, and where Events go
   */
  constructor({ client, events }: ServiceWriterProps) {
    this.#client = client;
    this.#events = events;
  }

  /** @inheritdoc */
  annotate(
    key: ServiceKey,
    annotations: Readonly<Record<string, string | null>>,
    guard?: { readonly resourceVersion: string },
  ): Promise<Outcome<void>> {
    return this.#patch(key, {
      contentType: 'application/merge-patch+json',
      query: { fieldManager: FIELD_MANAGER },
      body: { metadata: { uid: key.uid, ...guard, annotations } },
    });
  }

  /** @inheritdoc */
  condition(key: ServiceKey, condition: ServiceCondition | undefined): Promise<Outcome<void>> {
    const { namespace, name, uid } = key;
    return this.#patch(key, {
      contentType: 'application/apply-patch+yaml',
      query: { fieldManager: FIELD_MANAGER, force: 'true' },
      body: {
        ...{ apiVersion: 'v1', kind: 'Service', metadata: { namespace, name, uid } },
        // What the manager applied before and names no longer is taken away.
        ...(condition === undefined ? {} : { status: { conditions: [condition] } }),
      },
    });
  }

  /** @inheritdoc */
  event(key: ServiceKey, event: ServiceEvent): Promise<void> {
    return this.#events.record({ apiVersion: 'v1', kind: 'Service', ...key }, event);
  }

  async #patch(key: ServiceKey, patch: Patch): Promise<Outcome<void>> {
    const path = apiPath({ ...whereIs(key), subresource: 'status' });
    const answer = await this.#client.request({ method: 'PATCH', path, ...patch });
    return answer.ok ? accept(undefined) : this.#refused(key, answer);
  }

  // 409 and 422 are both given for another UID and for other reasons, so the object itself must tell.
  async #refused(key: ServiceKey, refusal: ApiRefusal): Promise<Outcome<void>> {
    const { status, message } = refusal;
    if (status === 404) return gone(key);
    if (status !== 409 && status !== 422) throw unavailable(`write Service "${nameOf(key)}"`, refusal);
    if ((await this.#read(key)) === undefined) return gone(key);
    if (status === 409) return refuse('store/conflict', `Service "${nameOf(key)}" was changed at the same time`);
    return refuse('cluster/refused', `Service "${nameOf(key)}" was not written: ${message}`);
  }

  // Undefined also for an object of another UID.
  async #read(key: ServiceKey): Promise<JsonMap | undefined> {
    const answer = await this.#client.request({ method: 'GET', path: apiPath(whereIs(key)) });
    if (!answer.ok && answer.status === 404) return undefined;
    if (!answer.ok) throw unavailable(`read Service "${nameOf(key)}"`, answer);
    return metadataOf(answer.body)['uid'] === key.uid ? answer.body : undefined;
  }
}

function whereIs({ namespace, name }: ServiceKey): Parameters<typeof apiPath>[0] {
  return { apiVersion: 'v1', resource: 'services', namespace, name };
}

function nameOf({ namespace, name }: ServiceKey): string {
  return `${namespace}/${name}`;
}

function gone(key: ServiceKey): Outcome<never> {
  return refuse('claim/not-found', `Service "${nameOf(key)}" with UID "${key.uid}" is no longer stored`);
}
