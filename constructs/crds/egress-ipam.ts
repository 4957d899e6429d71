// Generated from the declaration in operator/contract/kinds by `npm run generate`; edit that one.

import type { LabelSelector } from '../../operator/contract/label-selector';

/** Addresses, and the nodes that carry them. */
export interface EgressIPAMCidrAssignments {
  /**
   * Addresses that are given out, in CIDR notation without bits after the length.
   */
  readonly CIDR: string;
  /**
   * Value of the topology label of the nodes that carry these addresses; may be empty.
   */
  readonly labelValue: string;
  /**
   * Name of the entry, a DNS label; its CIDR by default.
   *
   * @default - none
   */
  readonly name?: string;
  /**
   * Addresses of the CIDR that are never given out.
   *
   * @default - none
   */
  readonly reservedIPs?: readonly string[];
  /**
   * Further addresses that are never given out: ranges such as 10.0.0.1-10.0.0.9, or CIDR notation.
   *
   * @default - none
   */
  readonly reservedRanges?: readonly string[];
  /**
   * Subnet that the CIDR is a part of; its network and broadcast addresses are never given out.
   *
   * @default - none
   */
  readonly subnet?: string;
  /**
   * Gateway of the subnet, which is never given out.
   *
   * @default - none
   */
  readonly gateway?: string;
}

/** When addresses leave a node. */
export interface EgressIPAMFailover {
  /**
   * Seconds for which a node may be not ready before its addresses move; 0 by default.
   *
   * @default - none
   */
  readonly notReadySeconds?: number;
}

/** Addresses that namespaces are given, and the nodes that carry them. */
export interface EgressIPAMSpec {
  /**
   * Key of the node label whose value chooses the CIDR.
   */
  readonly topologyLabel: string;
  /**
   * Nodes that carry addresses; all but control-plane nodes by default.
   *
   * @default - none
   */
  readonly nodeSelector?: LabelSelector;
  /**
   * CIDRs of which every namespace is given one address each, in the order of its list.
   *
   * @default - none
   */
  readonly cidrAssignments?: readonly EgressIPAMCidrAssignments[];
  /**
   * Network of the addresses, by which other front doors keep away from them; default by default.
   *
   * @default - none
   */
  readonly network?: string;
  /**
   * Namespaces that may use it; all by default.
   *
   * @default - none
   */
  readonly namespaceSelector?: LabelSelector;
  /**
   * What carries the addresses; none: they are written to the namespaces alone; auto by default.
   *
   * @default - none
   */
  readonly dataplane?: 'auto' | 'openshift-sdn' | 'ovn-kubernetes' | 'cilium' | 'antrea' | 'none';
  /**
   * Destinations that traffic reaches without these addresses; Cilium alone can leave some out; none by default.
   *
   * @default - none
   */
  readonly exceptDestinations?: readonly string[];
  /**
   * Cloud whose machines the addresses are attached to; auto: the one that the operator is set up for; none: it attaches nothing; auto by default.
   *
   * @default - none
   */
  readonly cloud?: 'auto' | 'aws' | 'azure' | 'gcp' | 'none';
  /**
   * Seconds for which a released address waits for its former namespace; 0 by default, 900 on Azure.
   *
   * @default - none
   */
  readonly quarantineSeconds?: number;
  /**
   * Never: an address leaves its node only with the node; OnNodeJoin: a node that joins takes its share; Never by default.
   *
   * @default - none
   */
  readonly rebalance?: 'Never' | 'OnNodeJoin';
  /**
   * When addresses leave a node.
   *
   * @default - none
   */
  readonly failover?: EgressIPAMFailover;
  /**
   * CIDRs may overlap those of other EgressIPAMs; an address has one holder all the same; false by default.
   *
   * @default - none
   */
  readonly allowOverlap?: boolean;
  /**
   * Release: with the EgressIPAM its namespaces lose their addresses; Retain: they keep them; Release by default.
   *
   * @default - none
   */
  readonly deletionPolicy?: 'Release' | 'Retain';
}
