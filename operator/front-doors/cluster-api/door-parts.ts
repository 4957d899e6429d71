import type { ClusterApiVersion } from '../../contract/cluster-api';
import type { AddressPoolProvider } from '../../ports/address-pool-provider';
import type { EventRecorder } from '../../ports/event-recorder';
import type { ObjectFeed, ObjectKey, RenewableFeed } from '../../ports/object-feed';
import type { ObjectWriter } from '../../ports/object-writer';
import type { Tools } from '../../ports/tools';

type Feed = ObjectFeed & Partial<RenewableFeed>;

/** Feeds, writers and pools that the controller works with. */
export interface ClusterApiParts extends Tools {
  /** Version of Cluster API that the objects are read and written in. */
  readonly version: ClusterApiVersion;
  readonly claims: Feed;
  readonly addresses: Feed;
  /** Absent where the kind Cluster is not installed; then no named Cluster is found. */
  readonly clusters?: Feed;
  readonly claimWriter: Pick<ObjectWriter, 'read' | 'applyStatus' | 'addFinalizer' | 'removeFinalizer'>;
  readonly addressWriter: Pick<ObjectWriter, 'read' | 'create' | 'replace' | 'delete' | 'removeFinalizer'>;
  readonly events: EventRecorder;
  /** Pools of every door. */
  readonly pools: readonly AddressPoolProvider[];
  /** Milliseconds for which an address stays with a claim that was found to be gone, without its deletion being seen. */
  readonly orphanGraceMs: number;
}

/** One piece of work: a claim, or what is on record for one that was found to be missing. */
export interface ClaimKey extends ObjectKey {
  readonly isOrphan?: boolean;
}
