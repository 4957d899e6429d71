// What programs in other languages write. Pulumi reads these declarations and makes the schema of them: it takes named
// interfaces, and no unions. Words such as `pool` are texts here, and checked by the components.
import type * as pulumi from '@pulumi/pulumi';
import type { LabelSelectorArgs } from './shared-args';

/** Name of a NetworkInstance, and how its prefixes are compared. */
export interface NetworkInstanceArgs {
  /** Name of the instance; that of the component by default. */
  readonly name?: string;
  /** Namespace of the instance; that of the provider by default. */
  readonly namespace?: string;
  /** Name of a network with whose zones, other instances and addresses in use the prefixes are compared. */
  readonly network?: pulumi.Input<string>;
  /** Whether a prefix that is no aggregate needs a parent: declared, required or free; declared by default. */
  readonly parents?: string;
  /** Labels of the object. */
  readonly labels?: Record<string, pulumi.Input<string>>;
  /** Annotations of the object. */
  readonly annotations?: Record<string, pulumi.Input<string>>;
  /** Whether the program waits until the operator has accepted it; true by default. */
  readonly waitForReady?: boolean;
  /** Seconds that the program waits; 300 by default. */
  readonly timeoutSeconds?: number;
}

/** Prefix, its kind, and the NetworkInstance that it belongs to. */
export interface IpPrefixSpecArgs {
  /** network, loopback, pool or aggregate; network by default. */
  readonly kind?: string;
  /** Prefix in CIDR notation; for kind network an address with the length of its subnet. */
  readonly prefix: string;
  /** Name of the NetworkInstance, in the same namespace. */
  readonly networkInstance: string;
  /** Name of the network; needed for kind network. */
  readonly network?: string;
  /** Addresses that are never given out: single ones, ranges, or CIDR notation. */
  readonly excluded?: string[];
  /** Part of the prefix that is given only to requests that select the labels of this object. */
  readonly range?: string;
  /** Whether nothing new is given out; false by default. */
  readonly draining?: boolean;
}

/** Spec, name, labels and annotations of an IPPrefix. */
export interface IpPrefixArgs {
  /** Prefix, its kind, and the NetworkInstance that it belongs to. */
  readonly spec: IpPrefixSpecArgs;
  /** Name of the prefix; that of the component by default. */
  readonly name?: string;
  /** Namespace of the prefix; that of the provider by default. */
  readonly namespace?: string;
  /** Labels of the object, by which allocations select it. */
  readonly labels?: Record<string, pulumi.Input<string>>;
  /** Annotations of the object. */
  readonly annotations?: Record<string, pulumi.Input<string>>;
  /** Whether the program waits until the operator has accepted it; true by default. */
  readonly waitForReady?: boolean;
  /** Seconds that the program waits; 300 by default. */
  readonly timeoutSeconds?: number;
}

/** Object with which an allocation ends. */
export interface IpAllocationOwnerArgs {
  /** API group and version of the owner. */
  readonly apiVersion: string;
  /** Kind of the owner. */
  readonly kind: string;
  /** Name of the owner. */
  readonly name: string;
}

/** Kind of what is asked for, and the labels of the prefixes that it may come from. */
export interface IpAllocationSpecArgs {
  /** network, loopback, pool or aggregate; network by default. */
  readonly kind?: string;
  /** ipv4 or ipv6; by default that of the prefixes that match, ipv4 before ipv6. */
  readonly addressFamily?: string;
  /** Prefix that is asked for; by default a free one is chosen. */
  readonly prefix?: string;
  /** Length of the prefix that is chosen, for kinds pool and loopback. */
  readonly prefixLength?: number;
  /** Chooses what is given from; the label nephio.org/network-instance names the NetworkInstance. */
  readonly selector?: LabelSelectorArgs;
  /** Object of the same namespace with which the allocation ends. */
  readonly ownerRef?: IpAllocationOwnerArgs;
}

/** Spec, name, labels and annotations of an IPAllocation. */
export interface IpAllocationArgs {
  /** Kind of what is asked for, and the labels of the prefixes that it may come from. */
  readonly spec: IpAllocationSpecArgs;
  /** Families of which one each is asked for: ipv4, ipv6 or both; not beside spec.addressFamily. */
  readonly families?: string[];
  /** Name of the allocation; that of the component by default. */
  readonly name?: string;
  /** Namespace of the allocation; that of the provider by default. */
  readonly namespace?: string;
  /** Labels of the object. */
  readonly labels?: Record<string, pulumi.Input<string>>;
  /** Annotations of the object. */
  readonly annotations?: Record<string, pulumi.Input<string>>;
  /** Whether the program waits until the operator has accepted it; true by default. */
  readonly waitForReady?: boolean;
  /** Seconds that the program waits; 300 by default. */
  readonly timeoutSeconds?: number;
}

/** One prefix of a plan, with those inside of it. */
export interface PlannedPrefixArgs {
  /** In CIDR notation. */
  readonly prefix: string;
  /** network, loopback, pool or aggregate; network where a network is given or around it, else aggregate. */
  readonly kind?: string;
  /** Name of the object; by default that of the instance and the prefix. */
  readonly name?: string;
  /** Name of the network; that of the network around it by default. */
  readonly network?: string;
  /** Address of the gateway, inside of the prefix. */
  readonly gateway?: string;
  /** Labels, by which allocations select it. */
  readonly labels?: Record<string, string>;
  /** Addresses that are never given out. */
  readonly excluded?: string[];
  /** Prefixes inside of it; inside of a network these are its recorded addresses. */
  readonly children?: PlannedPrefixArgs[];
}

/** Instance and prefixes of an address plan. */
export interface AddressPlanArgs {
  /** Name of the NetworkInstance. */
  readonly instance: string;
  /** Whether the NetworkInstance is made too; true by default. */
  readonly createInstance?: boolean;
  /** Namespace of all objects; that of the provider by default. */
  readonly namespace?: string;
  /** The outermost prefixes. */
  readonly prefixes: PlannedPrefixArgs[];
  /** Labels of all objects; those of a prefix win. */
  readonly labels?: Record<string, pulumi.Input<string>>;
  /** Whether the program waits until the operator has accepted them; true by default. */
  readonly waitForReady?: boolean;
  /** Seconds that the program waits for each; 300 by default. */
  readonly timeoutSeconds?: number;
}
