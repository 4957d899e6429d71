import type { Address, Family } from '../../addressing/address';
import type { PrefixSet } from '../../addressing/prefix-set';
import type { LabelSelector } from '../../contract/label-selector';
import type { VipReason } from '../../contract/paas';
import type { ServiceView } from '../../contract/service';
import type { ServiceTerms } from '../sharing';

/** How a Service is named in messages and compared by. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
  /** Empty where the record does not know it. */
  readonly uid: string;
}

/** A Service that holds an address, with what decides whether others may share it. */
export interface Sharer {
  readonly owner: ServiceName;
  readonly terms?: ServiceTerms;
}

/** Whether a group gives from what its spec says. */
export type GroupReadiness =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'InvalidGroup' | 'Conflict' | 'HoldersOutside'; readonly message: string };

/** One group as the door gives from it. */
export interface VipGroup {
  readonly name: string;
  readonly priority: number;
  readonly network: string;
  readonly namespaces?: LabelSelector;
  readonly services?: LabelSelector;
  readonly loadBalancerClass?: string;
  readonly explicitOnly: boolean;
  readonly draining: boolean;
  readonly quarantineMs: number;
  /** Applied segments, exclusions still in them. */
  readonly segments: PrefixSet;
  /** Space that is given, in this order: one part, or one for each segment. Without exclusions, stronger doors and older groups. */
  readonly parts: readonly PrefixSet[];
  /** All of `parts`. */
  readonly usable: PrefixSet;
  readonly excluded: PrefixSet;
  readonly readiness: GroupReadiness;
}

/** One address that a Service holds by the record. */
export interface HeldAddress {
  readonly address: Address;
  readonly group: string;
  /** False for a record that names the Service without its UID, by the UID of an object that is gone, or for a migration. */
  readonly isBoundToUid: boolean;
  /** True: a migration keeps it for the Service, whatever its type is now. */
  readonly isReserved?: boolean;
  /** Terms that the record has of this Service. */
  readonly terms?: ServiceTerms;
  /** Other holders that came before this Service. */
  readonly earlier: readonly Sharer[];
}

/** Use of an address, as the door knows it now. */
export type AddressUse =
  | { readonly kind: 'free' }
  | { readonly kind: 'held'; readonly holders: readonly Sharer[] }
  | { readonly kind: 'quarantined'; readonly former: ServiceName }
  /** In use without a claim: by a Node, the API server or a Service of another controller. */
  | { readonly kind: 'occupied'; readonly source: string };

/** State of the cluster as one decision sees it. */
export interface VipView {
  /** In the order of choice, see `planGroups`. */
  readonly groups: readonly VipGroup[];
  /** Families of the cluster, the primary one first. */
  readonly families: readonly Family[];
  /**
   * Tells the labels of a namespace.
   *
   * @param namespace - in which the Service is
   */
  namespaceLabels(namespace: string): Readonly<Record<string, string>>;
  /**
   * Tells the use of an address.
   *
   * @param address - in a segment, or shown by a Service
   */
  useAt(address: Address): AddressUse;
  /**
   * Tells whether something else shows an address that the Service may not share with it, whatever is on record.
   *
   * @param address - that the Service holds
   */
  isShownByOthers(address: Address): boolean;
  /**
   * Lists the addresses of which holders have a sharing key.
   *
   * @param key - as the Service has it, never empty
   * @returns the lowest first
   */
  sharedBy(key: string): readonly Address[];
}

/** Reason for a wait, with the change that ends it. */
export interface VipRefusal {
  readonly reason: Exclude<VipReason, 'Allocated'>;
  readonly message: string;
  /** True: the Service is served all the same, since one of its two families is enough for it. */
  readonly isNote?: boolean;
  readonly wokenBy: {
    readonly addresses: readonly Address[];
    readonly groups: readonly string[];
    /** Key under which it would share an address that others take; absent where it shares none. */
    readonly sharingKey?: string;
  };
}

/** Wish of a Service: at most one address of each family, a group, a key. */
export type VipWish =
  | {
      readonly ok: true;
      readonly addresses: readonly Address[];
      /** Path of the annotation of another load balancer that asks for the addresses; absent where a field of ours asks for them too. */
      readonly addressField?: string;
      readonly group?: string;
      /** Path of the annotation of another load balancer that names the group; absent where ours names it too. */
      readonly groupField?: string;
      readonly sharingKey: string;
    }
  | { readonly ok: false; readonly refusal: VipRefusal };

/** Everything that decides about one Service. */
export interface ServiceFacts {
  readonly service: ServiceView;
  readonly labels: Readonly<Record<string, string>>;
  readonly wish: VipWish;
  /** Addresses that the record grants it, by UID, or by namespace and name where the recorded UID is gone. */
  readonly held: readonly HeldAddress[];
  /** Addresses of `status.loadBalancer.ingress` as stored. */
  readonly shown: readonly Address[];
  /** True where an entry of the ingress is a host name. */
  readonly isHostNameShown: boolean;
  /** True where it has a finalizer of the older operator. */
  readonly hasOldFinalizer: boolean;
  /** True where it has the condition of this door. */
  readonly hasCondition: boolean;
  /** True where this condition says that it has an address. */
  readonly isServed: boolean;
  /** True where this condition says that it shows an address which another one has. */
  readonly isContested: boolean;
  /** Whose Service it is, by `rules/service-owner`. */
  readonly isOurs: boolean;
}

/** One way to get an address; ways are tried in their order until one succeeds. */
export type Offer =
  /** Become one more holder of an address. */
  | { readonly kind: 'join'; readonly address: Address; readonly group: string }
  /** Take exactly this address, or the lowest free one of the group. */
  | {
      readonly kind: 'take';
      readonly group: string;
      readonly address?: Address;
      /** True where a quarantine of the address is to be ended by its former holder. */
      readonly isReturn?: boolean;
    };

/** One address to get. */
export interface Slot {
  readonly family: Family;
  readonly offers: readonly Offer[];
  /** Said where no offer succeeds. */
  readonly ifNone: VipRefusal;
  /** Given back once this slot is filled and the status shows it, and kept otherwise. */
  readonly replaces: readonly HeldAddress[];
}

/** Decision about one Service. */
export type ServiceDecision =
  /** It gets nothing new. */
  | {
      readonly act: 'leave';
      readonly release: readonly HeldAddress[];
      /** True: the ingress is of this door and is taken off before the release. */
      readonly isIngressCleared: boolean;
      readonly isConditionCleared: boolean;
      /** True: finalizers of the older operator are taken off. */
      readonly areFinalizersCleared: boolean;
      /** Told in an Event, without any write to the status. */
      readonly warning?: VipRefusal;
    }
  | {
      readonly act: 'serve';
      /** Of which UID or terms are written first. */
      readonly rebind: readonly HeldAddress[];
      /** Taken exactly as the status shows them, before everything else. */
      readonly restore: readonly Offer[];
      /** True: it goes on showing an address that the record gives to another one. */
      readonly isContested: boolean;
      readonly keep: readonly HeldAddress[];
      readonly slots: readonly Slot[];
      /** True: all slots are filled, or those that were are given back. */
      readonly isAllOrNone: boolean;
      /** Given back after the status shows the rest. */
      readonly surplus: readonly HeldAddress[];
      readonly areFinalizersCleared: boolean;
      readonly notes: readonly VipRefusal[];
      /** Sentences for the author of the Service; it waits for nothing because of them. */
      readonly remarks: readonly string[];
    };
