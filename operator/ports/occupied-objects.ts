import type { ObjectFeed } from './object-feed';
import type { ServiceFeed } from './service-feed';

/** The stored objects of a cluster whose addresses are in use without a claim. */
export interface OccupiedObjects {
  readonly services: ServiceFeed;
  readonly nodes: ObjectFeed;
  /** EndpointSlice `default/kubernetes` alone. */
  readonly apiServer: ObjectFeed;
}
