import type { Prefix } from '../../addressing/prefix';
import type { AddressesInUse } from '../../ports/addresses-in-use';
import type { Claims } from '../../ports/claims';
import type { EventRecorder } from '../../ports/event-recorder';
import type { KnownClaims } from '../../ports/known-claims';
import type { NetworkTables } from '../../ports/network-tables';
import type { ObjectFeed, ObjectKey, RenewableFeed } from '../../ports/object-feed';
import type { ObjectWriter } from '../../ports/object-writer';
import type { OwnerReader } from '../../ports/owner-reader';
import type { PoolSpaces } from '../../ports/pool-spaces';
import type { Tools } from '../../ports/tools';

/** Watch of one of the three kinds. */
export type NetworksFeed = ObjectFeed & Partial<RenewableFeed>;
/** Reads and writes of one of the three kinds. */
export type NetworksWriter = Pick<ObjectWriter, 'read' | 'applyStatus' | 'addFinalizer' | 'removeFinalizer'>;

/** Behaviour of the door. */
export interface NetworksDoorSettings {
  /** Milliseconds for which an entry stays with an object that was found to be gone, without its deletion being seen. */
  readonly orphanGraceMs: number;
}

/** Record, feeds and writers that the controller works with. */
export interface NetworksDoorParts extends Tools {
  readonly tables: NetworkTables;
  readonly claims: Pick<Claims, 'watch'>;
  readonly known: KnownClaims;
  readonly instances: NetworksFeed;
  readonly prefixes: NetworksFeed;
  readonly allocations: NetworksFeed;
  readonly namespaces: Pick<ObjectFeed, 'get' | 'whenSynced' | 'onChange'>;
  readonly instanceWriter: NetworksWriter;
  readonly prefixWriter: NetworksWriter;
  readonly allocationWriter: NetworksWriter & Pick<ObjectWriter, 'addOwner'>;
  /** Objects that IPAllocations name as their owners. */
  readonly owners: OwnerReader;
  readonly events: EventRecorder;
  readonly shown: Pick<AddressesInUse, 'at' | 'addresses' | 'whenKnown'>;
  /** Pools of other doors, which have an address before this one does. */
  readonly strongerPools: readonly PoolSpaces[];
  readonly settings: NetworksDoorSettings;
}

/** Kinds of objects that the door works on. */
export type ObjectWork = 'instance' | 'prefix' | 'allocation';

/** One object to work on. */
export type NetworksObjectKey = { readonly of: ObjectWork } & ObjectKey;

/** One piece of work: an object, or an entry on record whose object is not stored. */
export type NetworksKey =
  NetworksObjectKey | { readonly of: 'orphan'; readonly network: string; readonly block: Prefix };

/** When a piece of work is to be looked at again by itself. */
export interface LookAgain {
  readonly requeueAfterMs?: number;
}
