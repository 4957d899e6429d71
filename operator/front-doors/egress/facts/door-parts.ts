import type { WatchedAddresses } from '../../../ports/addresses-in-use';
import type { ClusterNetworks } from '../../../ports/cluster-networks';
import type { CloudAddresses } from '../../../ports/cloud';
import type { Claims } from '../../../ports/claims';
import type { EgressDataplanes } from '../../../ports/egress-dataplane';
import type { EventRecorder } from '../../../ports/event-recorder';
import type { KnownClaims } from '../../../ports/known-claims';
import type { ObjectFeed, RenewableFeed } from '../../../ports/object-feed';
import type { ObjectWriter } from '../../../ports/object-writer';
import type { PoolSpaces } from '../../../ports/pool-spaces';
import type { Tools } from '../../../ports/tools';

/** Record, feeds and writers that the controller works with. */
export interface EgressDoorParts extends Tools {
  readonly claims: Claims;
  readonly known: KnownClaims;
  readonly egressIpams: ObjectFeed & Partial<RenewableFeed>;
  readonly namespaces: ObjectFeed & Partial<RenewableFeed>;
  readonly egressIpamWriter: Pick<ObjectWriter, 'applyStatus' | 'addFinalizer' | 'removeFinalizer'>;
  readonly namespaceWriter: Pick<ObjectWriter, 'read' | 'patchStatus'>;
  readonly events: EventRecorder;
  /** Whole Nodes, since labels, taints, conditions and annotations decide what they carry. */
  readonly nodes: ObjectFeed & Partial<RenewableFeed>;
  readonly dataplanes: EgressDataplanes;
  readonly shown: WatchedAddresses;
  /** The cloud whose machines addresses are attached to; undefined where the operator attaches none. */
  readonly cloud: CloudAddresses | undefined;
  /** Networks of Pods and Services, of which an EgressIPAM gives nothing. */
  readonly networks: ClusterNetworks;
  /** Pools of other doors, which have an address before this one does. */
  readonly strongerPools: readonly PoolSpaces[];
}

/** One piece of work: a Namespace, stored or with something on record, or an EgressIPAM. */
export interface EgressKey {
  readonly of: 'namespace' | 'egressIpam';
  readonly name: string;
}

/** When a key is to be looked at again by itself. */
export interface LookAgain {
  readonly requeueAfterMs?: number;
}
