import type { JsonMap } from '../contract/loose-json';

/** Which Service: the name may belong to another object by now, so its UID counts. */
export interface ServiceKey {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** One change of the stored Services. An object made anew under the same name comes as two changes. */
export interface ServiceChange {
  readonly key: ServiceKey;
  /** What was stored before; undefined for a new one. */
  readonly before?: JsonMap;
  /** What is stored now; undefined when it is gone. */
  readonly after?: JsonMap;
}

/**
 * The stored Services as the watch knows them: raw core/v1 objects without `managedFields` and without annotations that
 * nobody of ours reads. May lag behind the API server, so what ends a claim is confirmed by `Cluster.service`.
 */
export interface ServiceFeed {
  /** True after the first complete list; stays true through reconnects. */
  synced(): boolean;
  /** Resolves with the first complete list; rejects when the feed is closed before. */
  whenSynced(): Promise<void>;
  /** The object of that name, whatever its UID. */
  get(namespace: string, name: string): JsonMap | undefined;
  /** Every stored Service. O(n). */
  list(): readonly JsonMap[];
  /** Tells each change, those of the first list included; returns the function that stops it. */
  onChange(listener: (change: ServiceChange) => void): () => void;
  /** Why the feed has not been up to date for a minute or more; undefined while it is. */
  problem(): string | undefined;
}
