import type { Clock } from '../ports/clock';
import type { Logger } from '../ports/logger';
import type { ServiceKey } from '../ports/service-feed';
import type { ServiceEvent } from '../ports/service-writer';
import type { ApiClient } from './api-client';

/** What an {@link EventRecorder} works with. */
export interface EventRecorderProps {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Name of this process, shown as the reporting instance. */
  readonly identity: string;
}

/** Writes Events about Services. */
export declare class EventRecorder {
  /**
   * Makes one over an open client.
   *
   * @param props - client and surroundings
   */
  constructor(props: EventRecorderProps);
  /**
   * Records one Event.
   *
   * @param key - the Service
   * @param event - what happened to it
   */
  record(key: ServiceKey, event: ServiceEvent): Promise<void>;
}
