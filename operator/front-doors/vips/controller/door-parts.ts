import type { Address } from '../../../addressing/address';
import type { Prefix } from '../../../addressing/prefix';
import type { ForeignLoadBalancer } from '../../../contract/foreign-load-balancers';
import type { OwnerSettings } from '../../../rules/service-owner';
import type { AddressPoolProvider } from '../../../ports/address-pool-provider';
import type { AddressesInUse } from '../../../ports/addresses-in-use';
import type { Cluster } from '../../../ports/cluster';
import type { Claims } from '../../../ports/claims';
import type { EventRecorder } from '../../../ports/event-recorder';
import type { KnownClaims } from '../../../ports/known-claims';
import type { ObjectFeed, ObjectKey, RenewableFeed } from '../../../ports/object-feed';
import type { ObjectWriter } from '../../../ports/object-writer';
import type { PoolSpaces } from '../../../ports/pool-spaces';
import type { ServiceFeed } from '../../../ports/service-feed';
import type { Tools } from '../../../ports/tools';

/** Behaviour of the door. */
export interface VipsDoorSettings {
  readonly excludedNamespaces: readonly string[];
  /** Milliseconds for which an address stays with a Service that was found to be gone, without its deletion being seen. */
  readonly orphanGraceMs: number;
  /** Load balancers whose annotations are read beside our own. */
  readonly foreignAnnotations: readonly ForeignLoadBalancer[];
}

/** Record, feeds and writers that the controller works with. */
export interface VipsDoorParts extends Tools {
  readonly claims: Claims;
  readonly known: KnownClaims;
  readonly services: ServiceFeed;
  readonly groups: ObjectFeed & Partial<RenewableFeed>;
  readonly namespaces: Pick<ObjectFeed, 'get' | 'onChange' | 'whenSynced'>;
  readonly cluster: Pick<Cluster, 'families' | 'service'>;
  readonly serviceWriter: Pick<ObjectWriter, 'patchStatus' | 'applyStatus'>;
  readonly groupWriter: Pick<ObjectWriter, 'applyStatus' | 'addFinalizer' | 'removeFinalizer'>;
  readonly events: EventRecorder;
  readonly shown: AddressesInUse;
  /** Pools of other doors, which have an address before this one does. */
  readonly strongerPools: readonly PoolSpaces[];
  /** Settings of both doors that serve Services. */
  readonly owners: () => OwnerSettings;
  readonly settings: VipsDoorSettings;
  /** Absent where VirtualIPs are not migrated. */
  readonly migration?: {
    /** Tells whether the Service of an address may hold it whatever its type is. */
    isMigrating(address: Address): boolean;
    /** Puts on record what VirtualIPs have, before anything is given. */
    restore(): Promise<void>;
  };
}

/** One piece of work: a Service, a group, or an address on record whose Service is not stored. */
export type VipKey =
  | ({ readonly of: 'service' } & ObjectKey)
  | { readonly of: 'group'; readonly name: string }
  | { readonly of: 'orphan'; readonly address: Address };

/** The controller of the VIPs door. */
export interface VipsController {
  /** The groups as pools for objects of other doors. */
  readonly pools: AddressPoolProvider;
  /** Space of the groups, which weaker doors leave out. */
  readonly spaces: PoolSpaces;
  /** Works on one key, and tells after how long it is to be looked at again by itself. */
  reconcile(key: VipKey): Promise<{ readonly requeueAfterMs?: number }>;
  /** Compares everything that is stored with the record; the first time, addresses in use are put on record before anything is given. */
  compare(): Promise<readonly VipKey[]>;
  /**
   * Finds the group of an address, also of one that it excludes.
   *
   * @param address - any address
   * @returns its name; undefined where none has it, or another door does
   */
  groupAt(address: Address): string | undefined;
  /** Tells keys that something else than a change of their object asks for. */
  onWake(listener: (key: VipKey) => void): () => void;
  /** Is to be told each address or prefix of which something changed in what the cluster shows. */
  shownChanged(block: Prefix): void;
  /** Forgets what waits: another process leads. */
  rest(): void;
  /** Ends timers and watches. */
  close(): void;
}
