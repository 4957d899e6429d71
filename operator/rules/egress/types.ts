import type { Address } from '../../addressing/address';
import type { Prefix } from '../../addressing/prefix';
import type { PrefixSet } from '../../addressing/prefix-set';
import type { EgressReason } from '../../contract/egress';
import type { LabelSelector } from '../../contract/label-selector';

/** One CIDR of an EgressIPAM. */
export interface EgressPool {
  /** Canonical text. */
  readonly cidr: string;
  readonly prefix: Prefix;
  /** Value of the topology label of the nodes that carry its addresses. */
  readonly labelValue: string;
  /** Never given out: edges of the subnet, gateway, and what the author reserves. */
  readonly reserved: PrefixSet;
  /** Given out: the CIDR without what is reserved and without pools of stronger doors. */
  readonly usable: PrefixSet;
}

/** Whether an EgressIPAM gives new addresses. */
export type EgressReadiness =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'InvalidEgressIPAM' | 'Overlap'; readonly message: string };

/** One EgressIPAM as the door serves it. */
export interface EgressPlan {
  readonly name: string;
  readonly network: string;
  /** In the order of the spec; none where the spec is invalid. */
  readonly pools: readonly EgressPool[];
  readonly readiness: EgressReadiness;
  readonly overlapsOtherDoor: boolean;
  readonly topologyLabel: string;
  readonly nodeSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  /** Destinations that traffic reaches without its addresses. */
  readonly exceptDestinations: readonly Prefix[];
  /** What is to carry its addresses, as the spec asks for it. */
  readonly dataplane: string;
  readonly quarantineMs: number;
  /** True where the EgressIPAM itself says it. */
  readonly isQuarantineGiven: boolean;
  /** As `spec.cloud` names it; `auto` where it is absent. */
  readonly cloud: string;
  readonly notReadyMs: number;
  /** True: a node that joins takes its share of the addresses. */
  readonly isRebalanced: boolean;
  /** True: what its namespaces hold stays when it is deleted. */
  readonly isRetained: boolean;
  readonly isDying: boolean;
  /** True: addresses of CIDRs that were taken out are released. */
  readonly isForced: boolean;
  /** By the last valid spec, as far as nodes are concerned; absent where the spec is valid, and where none is known. */
  readonly lastValid?: EgressPlan;
}

/** Addresses that a namespace lists in its annotation. */
export type EgressList =
  | { readonly kind: 'none' }
  | { readonly kind: 'listed'; readonly addresses: readonly Address[] }
  | { readonly kind: 'malformed'; readonly message: string };

/** One Namespace as far as egress addresses are concerned. */
export interface EgressNamespace {
  readonly name: string;
  readonly uid: string;
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isDying: boolean;
  /** Name of the EgressIPAM that it opts in to; absent where it does not. */
  readonly egressIpam?: string;
  readonly list: EgressList;
  /** True: it may list addresses that its EgressIPAM reserves. */
  readonly mayUseReserved: boolean;
}

/** One address that a namespace holds by the record. */
export interface HeldEgress {
  readonly address: Address;
  readonly network: string;
  /** EgressIPAM that gave it. */
  readonly egressIpam: string;
  /** False for a record with the UID of a namespace of the same name that is gone. */
  readonly isBoundToUid: boolean;
  /** True: its EgressIPAM went before a dataplane let go of it, so it is to be given back. */
  readonly isEnding?: boolean;
}

/** Use of an address that the namespace does not hold. */
export type EgressUse =
  | { readonly kind: 'free' }
  | { readonly kind: 'held'; readonly holder: string }
  | { readonly kind: 'quarantined'; readonly isFormer: boolean }
  /** In use without a claim, for example by a Node. */
  | { readonly kind: 'occupied'; readonly source: string };

/** State of the cluster as the decision about one namespace sees it. */
export interface EgressView {
  /**
   * Finds an EgressIPAM.
   *
   * @param name - as namespaces name it
   */
  plan(name: string): EgressPlan | undefined;
  /**
   * Tells the use of an address.
   *
   * @param network - of the EgressIPAM
   * @param address - that the namespace does not hold
   */
  useAt(network: string, address: Address): EgressUse;
  /**
   * Lists addresses in quarantine that the namespace held before.
   *
   * @param network - of the EgressIPAM
   */
  formerOf(network: string): readonly Address[];
  /**
   * Tells why it is not known what uses addresses of an EgressIPAM; undefined where everything is known.
   *
   * @param plan - of the EgressIPAM
   */
  usesProblem(plan: EgressPlan): string | undefined;
}

/** Why a namespace does not have what it asks for. */
export interface EgressProblem {
  /** `pending`: it waits; `invalid`: its author has to change something. */
  readonly state: 'pending' | 'invalid';
  readonly reason: EgressReason;
  readonly message: string;
}

/** One way to get an address; ways are tried in their order until one succeeds. */
export interface EgressOffer {
  /** Absent: the lowest free address of the pool. */
  readonly address?: Address;
  /** True where a quarantine is to be ended by its former holder. */
  readonly isReturn?: boolean;
}

/** One address to get. */
export interface EgressSlot {
  readonly pool: EgressPool;
  readonly offers: readonly EgressOffer[];
  /** Address of the namespace that another EgressIPAM gave: it goes into quarantine and is taken again at once. */
  readonly moves?: HeldEgress;
}

/**
 * Decision about one namespace. Slots are filled first, all or none; then list and dataplane are written; addresses are given back last,
 * so that none is used by two.
 */
export interface NamespaceDecision {
  /** Of which the UID is written first. */
  readonly rebind: readonly HeldEgress[];
  readonly keep: readonly HeldEgress[];
  readonly slots: readonly EgressSlot[];
  /** Given back once all slots are filled. */
  readonly release: readonly HeldEgress[];
  /** Fate of the annotation: it tells what the namespace has then, it is taken off, or it stays as it is. */
  readonly list: 'told' | 'removed' | 'untouched';
  readonly problem?: EgressProblem;
}
