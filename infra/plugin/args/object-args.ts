// What programs in other languages write. Pulumi reads these declarations and makes the schema of them: it takes named
// interfaces, and no unions. Words such as `deny` are texts here, and checked by the components.
import type * as pulumi from '@pulumi/pulumi';
import type { LabelSelectorArgs, L2AdvertisementArgs, BgpAdvertisementArgs } from './shared-args';

/** Addresses of a pool, and how MetalLB announces them. */
export interface MetalLbPoolArgs {
  /** Addresses of the pool: prefixes and ranges. */
  readonly addresses: string[];
  /** Name of the pool; that of the component by default. */
  readonly name?: string;
  /** Namespace of MetalLB; metallb-system by default. */
  readonly namespace?: string;
  /** Whether MetalLB gives addresses of the pool by itself. */
  readonly autoAssign?: boolean;
  /** Whether addresses that end in .0 and .255 are left out. */
  readonly avoidBuggyIps?: boolean;
  /** How MetalLB announces the addresses: l2, bgp, both or none. */
  readonly advertise?: string;
  /** L2 advertisements with their settings. */
  readonly l2?: L2AdvertisementArgs[];
  /** BGP advertisements with their settings. */
  readonly bgp?: BgpAdvertisementArgs[];
}

/** The object that owns a claim. */
export interface AddressClaimHolderArgs {
  /** API group and version of the holder. */
  readonly apiVersion: string;
  /** Kind of the holder. */
  readonly kind: string;
  /** Namespace of the holder; absent for a kind without namespaces. */
  readonly namespace?: string;
  /** Name of the holder. */
  readonly name: string;
  /** UID of the holder; absent until the holder is stored. */
  readonly uid?: string;
}

/** Holders of addresses. */
export interface AddressClaimSpecArgs {
  /** Name of the network; inside one network an address has one owner. */
  readonly network: string;
  /** The claimed space in canonical text: one address, or a prefix in CIDR notation. */
  readonly address: string;
  /** Front door that the claim was made through: networks, egress or grpc. */
  readonly door: string;
  /** Name of the object or CIDR whose space was given out. */
  readonly pool?: string;
  /** State of the claim: reserved, bound, retained or quarantined. */
  readonly state: string;
  /** End of the lease, the retention or the quarantine; absent when bound. */
  readonly until?: string;
  /** The object that owns the claim, or that owned it last. */
  readonly holder?: AddressClaimHolderArgs;
  /** Key by which a caller without an object asks again for the same claim. */
  readonly key?: string;
  /** Labels by which requests select this space. */
  readonly labels?: Record<string, string>;
}

/** Spec, labels and annotations of an AddressClaim. */
export interface AddressClaimArgs {
  /** The claimed address and its holder; the name of the object follows from them. */
  readonly spec: AddressClaimSpecArgs;
  /** Labels of the object. */
  readonly labels?: Record<string, pulumi.Input<string>>;
  /** Annotations of the object. */
  readonly annotations?: Record<string, pulumi.Input<string>>;
}

/** Addresses that an IPGroup gives out, and the Services that get them. */
export interface IpGroupSpecArgs {
  /** Addresses that are given out, in CIDR notation. */
  readonly segment?: string;
  /** Further segments, of one family or of both. */
  readonly segments?: string[];
  /** Addresses that are never given out: single ones, ranges, or CIDR notation. */
  readonly excludedIPs?: string[];
  /** Network of the addresses; default by default. */
  readonly network?: string;
  /** Groups of higher priority are chosen first; 0 by default. */
  readonly priority?: number;
  /** Namespaces that the group serves; all by default. */
  readonly namespaces?: LabelSelectorArgs;
  /** Services that the group serves; all by default. */
  readonly services?: LabelSelectorArgs;
  /** Only Services of this class are served; every class of the operator by default. */
  readonly loadBalancerClass?: string;
  /** Whether only Services that name the group or one of its addresses are served; false by default. */
  readonly explicitOnly?: boolean;
  /** Whether nothing new is given out; false by default. */
  readonly draining?: boolean;
  /** Seconds for which a released address waits for its former holder; 0 by default. */
  readonly quarantineSeconds?: number;
  /** lowest or segments; lowest by default. */
  readonly searchOrder?: string;
  /** Whether a change that cuts out addresses in use is applied; false by default. */
  readonly force?: boolean;
}

/** One CIDR of an EgressIPAM, and the nodes that carry its addresses. */
export interface EgressAssignmentArgs {
  /** Addresses that are given out, in CIDR notation without bits after the length. */
  readonly CIDR: string;
  /** Value of the topology label of the nodes that carry these addresses; may be empty. */
  readonly labelValue: string;
  /** Name of the entry, a DNS label; its CIDR by default. */
  readonly name?: string;
  /** Addresses of the CIDR that are never given out. */
  readonly reservedIPs?: string[];
  /** Further addresses that are never given out: ranges, or CIDR notation. */
  readonly reservedRanges?: string[];
  /** Subnet that the CIDR is a part of. */
  readonly subnet?: string;
  /** Gateway of the subnet, which is never given out. */
  readonly gateway?: string;
}

/** When addresses leave a node. */
export interface EgressFailoverArgs {
  /** Seconds for which a node may be not ready before its addresses move; 0 by default. */
  readonly notReadySeconds?: number;
}

/** Addresses that namespaces are given, and the nodes that carry them. */
export interface EgressIpamSpecArgs {
  /** Key of the node label whose value chooses the CIDR. */
  readonly topologyLabel: string;
  /** Nodes that carry addresses; all but control-plane nodes by default. */
  readonly nodeSelector?: LabelSelectorArgs;
  /** CIDRs of which every namespace is given one address each. */
  readonly cidrAssignments?: EgressAssignmentArgs[];
  /** Network of the addresses; default by default. */
  readonly network?: string;
  /** Namespaces that may use it; all by default. */
  readonly namespaceSelector?: LabelSelectorArgs;
  /** What carries the addresses: auto, openshift-sdn, ovn-kubernetes, cilium, antrea or none; auto by default. */
  readonly dataplane?: string;
  /** Destinations in CIDR notation that traffic reaches without these addresses; Cilium alone can leave some out. */
  readonly exceptDestinations?: string[];
  /** Seconds for which a released address waits for its former namespace; 0 by default. */
  readonly quarantineSeconds?: number;
  /** Never or OnNodeJoin; Never by default. */
  readonly rebalance?: string;
  /** When addresses leave a node. */
  readonly failover?: EgressFailoverArgs;
  /** Whether CIDRs may overlap those of other EgressIPAMs; false by default. */
  readonly allowOverlap?: boolean;
  /** Release or Retain; Release by default. */
  readonly deletionPolicy?: string;
}

/** Spec, name, labels and annotations of an EgressIPAM. */
export interface EgressIpamArgs {
  /** Addresses that namespaces are given, and the nodes that carry them. */
  readonly spec: EgressIpamSpecArgs;
  /** Name of the object; that of the component by default. */
  readonly name?: string;
  /** Labels of the object. */
  readonly labels?: Record<string, pulumi.Input<string>>;
  /** Annotations of the object. */
  readonly annotations?: Record<string, pulumi.Input<string>>;
}

/** EgressIPAM, addresses, name, labels and annotations of a Namespace. */
export interface EgressNamespaceArgs {
  /** Name of the EgressIPAM that gives its addresses. */
  readonly egressIpam: string;
  /** Addresses that it asks for, one of each CIDR; the lowest free ones by default. */
  readonly addresses?: string[];
  /** Whether it may have addresses that the EgressIPAM reserves; false by default. */
  readonly allowReserved?: boolean;
  /** Name of the Namespace; that of the component by default. */
  readonly name?: string;
  /** Labels of the object. */
  readonly labels?: Record<string, pulumi.Input<string>>;
  /** Annotations of the object beside those of the EgressIPAM. */
  readonly annotations?: Record<string, pulumi.Input<string>>;
  /** Whether an update waits for the addresses; true by default. */
  readonly waitForAddresses?: boolean;
  /** Seconds that an update waits for the addresses; 300 by default. */
  readonly timeoutSeconds?: number;
}

/** Spec, name, labels and annotations of an IPGroup. */
export interface IpGroupArgs {
  /** Addresses that are given out, and the Services that get them. */
  readonly spec: IpGroupSpecArgs;
  /** Name of the group; that of the component by default. */
  readonly name?: string;
  /** Labels of the object. */
  readonly labels?: Record<string, pulumi.Input<string>>;
  /** Annotations of the object. */
  readonly annotations?: Record<string, pulumi.Input<string>>;
}
