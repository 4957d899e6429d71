import type { Outcome } from '../errors/outcome';
import type { ServiceKey } from '../ports/service-feed';
import type { ServiceCondition, ServiceEvent, ServiceWriter } from '../ports/service-writer';
import type { ApiClient } from './api-client';
import type { EventRecorder } from './event-recorder';

/** Writes to stored Services through `services/status`. */
export declare class KubernetesServiceWriter implements ServiceWriter {
  /**
   * Makes one over an open client.
   *
   * @param props - client and surroundings
   */
  constructor(props: { readonly client: ApiClient; readonly events: EventRecorder });
  /** @inheritdoc */
  annotate(
    key: ServiceKey,
    annotations: Readonly<Record<string, string | null>>,
    guard?: { readonly resourceVersion: string },
  ): Promise<Outcome<void>>;
  /** @inheritdoc */
  dropFinalizers(key: ServiceKey, finalizers: readonly string[]): Promise<Outcome<void>>;
  /** @inheritdoc */
  condition(key: ServiceKey, condition: ServiceCondition | undefined): Promise<Outcome<void>>;
  /** @inheritdoc */
  event(key: ServiceKey, event: ServiceEvent): Promise<void>;
}
