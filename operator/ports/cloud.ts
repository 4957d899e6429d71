import type { Address } from '../addressing/address';
import type { Prefix } from '../addressing/prefix';

/** A node as its cloud knows it. */
export interface CloudNode {
  readonly name: string;
  /** `spec.providerID`, by which the cloud finds the machine. */
  readonly providerId: string;
}

/** What decides which pools of load balancers an address joins; clouds without such pools pass it over. */
export type LoadBalancerChoice = 'auto' | 'none' | 'same-as-primary-ip';

/** An address that is to be on a machine. */
export interface CloudWant {
  readonly address: Address;
  /** `auto`: as the primary address, but for pools with outbound rules. */
  readonly loadBalancer: LoadBalancerChoice;
}

/** An address that a machine has beside its own. */
export interface CloudSecondary {
  readonly address: Address;
  /** Identifiers of the pools of load balancers that it joins, sorted. */
  readonly pools: readonly string[];
}

/** The machine of a node, with the one interface that addresses are attached to. */
export interface CloudMachine {
  readonly node: string;
  /** As users find it in the cloud, for example `i-0123`. */
  readonly name: string;
  /** Identifier of the interface. */
  readonly interfaceId: string;
  /** Of the subnet that the interface is in. */
  readonly subnetId: string;
  /** Addresses of the machine itself. */
  readonly own: readonly Address[];
  readonly secondary: readonly CloudSecondary[];
  /** Most addresses that can be attached beside the own ones, by family. */
  readonly most: Readonly<Record<4 | 6, number>>;
  /** Room that something else than single addresses takes, such as prefixes. */
  readonly otherUse: number;
  /** Identifiers of the pools that an address joins by each choice, sorted. */
  readonly pools: Readonly<Record<LoadBalancerChoice, readonly string[]>>;
}

/** A subnet of the network that machines of the cluster are in. */
export interface CloudSubnet {
  readonly id: string;
  readonly prefixes: readonly Prefix[];
  /** Addresses that the cloud keeps for itself. */
  readonly reserved: readonly Address[];
}

/** An address, or a prefix, that something in the cloud has. */
export interface CloudUse {
  readonly block: Prefix;
  /** In the words of users, for example `network interface eni-0123`. */
  readonly source: string;
}

/** Subnets of the cluster's networks, and what has their addresses. */
export interface CloudUses {
  readonly subnets: readonly CloudSubnet[];
  /** Those in subnets that overlap what was asked for. */
  readonly uses: readonly CloudUse[];
}

/** Result of a change of a machine; `gone`: the machine, or its interface, is not there any more; `changed`: something else wrote at the same time. */
export type CloudChange = 'done' | 'gone' | 'changed';

/** An address, or a prefix, that something in the cloud has without a claim. */
export interface ForeignCloudUse extends CloudUse {
  /** Node whose machine has it beside its own addresses. */
  readonly node?: string;
}

/** What has addresses in the cloud, as the allocation of addresses asks it. */
export interface CloudAddresses {
  /** As `spec.cloud` names it. */
  readonly name: string;
  /** Seconds for which a released address waits where the EgressIPAM does not say it. */
  readonly quarantineSeconds: number;
  /** What is in use without a claim, what the cloud keeps for itself included. */
  foreign(): readonly ForeignCloudUse[];
  /**
   * Tells why it is not known what has addresses of prefixes.
   *
   * @param prefixes - CIDRs of an EgressIPAM
   */
  problemOf(prefixes: readonly Prefix[]): string | undefined;
  /** Tells that something of this changed; returns the function that stops it. */
  onChange(listener: () => void): () => void;
}

/**
 * A cloud whose machines get addresses attached. Nothing is kept between two calls but what cannot change, such as the size of a type of machine.
 * Safe for parallel calls for different machines.
 *
 * Calls throw IpamError `cloud/unavailable`, `cloud/throttled`, `cloud/login`, `cloud/in-use` or `cloud/refused`; messages hold nothing of a login.
 */
export interface Cloud {
  readonly name: string;
  /** Seconds for which the cloud still shows an address as used after it was detached. */
  readonly quarantineSeconds: number;
  /**
   * Tells whether a node is a machine of this cloud.
   *
   * @param providerId - of the node
   */
  knows(providerId: string): boolean;
  /**
   * Reads the machines of nodes, all pages.
   *
   * @param nodes - those that {@link knows} took
   * @returns one for each that exists; a machine that ends, or has no interface, is left out
   */
  machines(nodes: readonly CloudNode[]): Promise<readonly CloudMachine[]>;
  /**
   * Reads the subnets of the networks of machines, and what has addresses there, all pages.
   *
   * @param machines - as they were read last
   * @param prefixes - CIDRs that addresses are given from
   */
  uses(machines: readonly CloudMachine[], prefixes: readonly Prefix[]): Promise<CloudUses>;
  /**
   * Attaches addresses to a machine, and brings those that it has to the pools that they are to join.
   *
   * @param machine - as it was read a moment ago
   * @param wants - each is missing, or joins other pools
   */
  attach(machine: CloudMachine, wants: readonly CloudWant[]): Promise<CloudChange>;
  /**
   * Detaches addresses from a machine; one that it does not have is success.
   *
   * @param machine - as it was read a moment ago
   * @param addresses - never an own one
   */
  detach(machine: CloudMachine, addresses: readonly Address[]): Promise<CloudChange>;
  /** Ends connections. */
  close(): void;
}
