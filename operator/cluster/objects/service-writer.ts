import type { JsonMap } from '../../contract/loose-json';
import { SERVICE } from '../../contract/service-identity';
import type { Outcome } from '../../errors/outcome';
import type { EventRecorder } from '../../ports/event-recorder';
import type { ServiceKey } from '../../ports/service-feed';
import type { ServiceCondition, ServiceEvent, ServiceWriter } from '../../ports/service-writer';
import type { ObjectWriter } from '../../ports/object-writer';
import type { ApiClient } from '../api/api-client';
import { KubernetesObjectWriter } from './object-writer';

/** Parts of a {@link KubernetesServiceWriter}. */
export interface ServiceWriterProps {
  readonly client: ApiClient;
  readonly events: EventRecorder;
}

/**
 * Writes to stored Services through `services/status`, where annotations and conditions may be patched and the
 * spec is ignored.
 *
 * Safe for parallel calls. Needs no start; ends with its client.
 */
export class KubernetesServiceWriter implements ServiceWriter {
  readonly #objects: ObjectWriter;
  readonly #events: EventRecorder;

  /**
   * Makes one over an open client.
   *
   * @param props - client, and where Events go
   */
  constructor({ client, events }: ServiceWriterProps) {
    this.#objects = new KubernetesObjectWriter(client, { ...SERVICE, resource: 'services' });
    this.#events = events;
  }

  /** @inheritdoc */
  annotate(
    key: ServiceKey,
    annotations: Readonly<Record<string, string | null>>,
    guard?: { readonly resourceVersion: string },
  ): Promise<Outcome<void>> {
    return this.#objects.patchStatus(key, { metadata: { annotations } }, guard);
  }

  /** @inheritdoc */
  condition(key: ServiceKey, condition: ServiceCondition | undefined): Promise<Outcome<void>> {
    const status: JsonMap | undefined = condition === undefined ? undefined : { conditions: [condition] };
    return this.#objects.applyStatus(key, status);
  }

  /** @inheritdoc */
  event(key: ServiceKey, event: ServiceEvent): Promise<void> {
    return this.#events.record({ ...SERVICE, ...key }, event);
  }
}
