import type { JsonMap } from '../contract/loose-json';

/** Where an object is stored; an empty namespace for kinds of the whole cluster. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** Which object: the name may belong to another one by now, so its UID counts. */
export interface ObjectKey extends ObjectName {
  readonly uid: string;
}

/** One change of the stored objects. An object made anew under the same name comes as two changes. */
export interface ObjectChange {
  readonly key: ObjectKey;
  /** Object as it was stored before; undefined for a new one. */
  readonly before?: JsonMap;
  /** Object as it is stored now; undefined when it is gone. */
  readonly after?: JsonMap;
}

/**
 * The stored objects of one kind as the watch knows them: raw, without `managedFields`. May lag behind the API server, so what ends a
 * claim is confirmed by an uncached read.
 */
export interface ObjectFeed {
  /** True after the first complete list; stays true through reconnects, and ends with a reset. */
  synced(): boolean;
  /** Resolves with the first complete list; rejects when the feed is closed before. */
  whenSynced(): Promise<void>;
  /** The object of that name, whatever its UID. */
  get(namespace: string, name: string): JsonMap | undefined;
  /** Every stored object. O(n). */
  list(): readonly JsonMap[];
  /** Tells each change, those of the first list included; returns the function that stops it. */
  onChange(listener: (change: ObjectChange) => void): () => void;
  /** Why the feed has not been up to date for a minute or more; undefined while it is. */
  problem(): string | undefined;
}

/** A feed over a server whose store may be replaced by an older copy of itself, as when etcd is restored from a backup. */
export interface RenewableFeed {
  /**
   * Makes a new list, which no cache of the API server answers, and tells what the watch did not.
   *
   * @throws IpamError `cluster/unavailable`
   */
  relist(): Promise<void>;
  /**
   * Tells that the server is older than what was seen of it: nothing that is known counts any more, and {@link ObjectFeed.whenSynced} waits
   * for the next complete list. Returns the function that stops it.
   */
  onReset(listener: () => void): () => void;
  /** False while it is not known that the server still has everything that was seen of it; asks it where no watch is open. */
  isCurrent(): Promise<boolean>;
}

/** A feed that tells how far it is. */
export interface VersionedFeed extends ObjectFeed {
  /** Resource version up to which every change was told; undefined before the first list, and while it is in doubt. */
  version(): string | undefined;
}
