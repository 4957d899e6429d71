import type * as pulumi from '@pulumi/pulumi';
import * as infra from 'cdk8s-ipam/infra';

import type {
  AddressClaimArgs,
  EgressIpamArgs,
  EgressNamespaceArgs,
  IpGroupArgs,
  MetalLbPoolArgs,
} from './args/object-args';
import type { AddressPlanArgs, IpAllocationArgs, IpPrefixArgs, NetworkInstanceArgs } from './args/network-args';
import type { IpamOperatorArgs } from './args/operator-args';
import type { IpamServiceArgs, VipServiceArgs } from './args/service-args';

/** A component as Pulumi's schema can tell it: its args are named interfaces, in which words such as `deny` are texts. */
type Component<Args> = new (
  name: string,
  args: Args,
  opts?: pulumi.ComponentResourceOptions,
) => pulumi.ComponentResource;

/** `From` has no arg that `To` does not know; the rules of the component check every word. */
type Told<To, From> = [keyof From] extends [keyof To] ? Component<From> : never;

const told = <Args>(component: Component<never>): Component<Args> => component as Component<Args>;

// The classes below are the package's own, so a resource has the same URN whatever language its program is in.
const Operator: Told<infra.IpamOperatorArgs, IpamOperatorArgs> = told(infra.IpamOperator);
const Service: Told<infra.IpamServiceArgs, IpamServiceArgs> = told(infra.IpamService);
const Pool: Told<infra.MetalLbPoolArgs, MetalLbPoolArgs> = told(infra.MetalLbPool);
const Claim: Told<infra.AddressClaimArgs, AddressClaimArgs> = told(infra.AddressClaim);
const Group: Told<infra.IpGroupArgs, IpGroupArgs> = told(infra.IpGroup);
const Egress: Told<infra.EgressIpamArgs, EgressIpamArgs> = told(infra.EgressIpam);
const Namespace: Told<infra.EgressNamespaceArgs, EgressNamespaceArgs> = told(infra.EgressNamespace);
const Instance: Told<infra.NetworkInstanceArgs, NetworkInstanceArgs> = told(infra.NetworkInstance);
const Prefix: Told<infra.IpPrefixArgs, IpPrefixArgs> = told(infra.IpPrefix);
const Allocation: Told<infra.IpAllocationArgs, IpAllocationArgs> = told(infra.IpAllocation);
const Plan: Told<infra.AddressPlanArgs, AddressPlanArgs> = told(infra.AddressPlan);
const Vip: Told<infra.VipServiceArgs, VipServiceArgs> = told(infra.VipService);

/** The IPAM operator with everything it needs. MetalLB is expected in the cluster, and cert-manager by default. */
export class IpamOperator extends Operator {
  /** Where the operator's Pods, Secrets and ConfigMaps stand. */
  declare readonly namespace: pulumi.Output<string>;
  /** Reference of the image that the operator runs. */
  declare readonly image: pulumi.Output<string>;

  /**
   * Declares the operator.
   *
   * @param name - name of the component
   * @param args - zones and settings
   * @param opts - options of the component
   */
  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- the schema is made of it
  constructor(name: string, args: IpamOperatorArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, args, opts);
  }
}

/** A Service of type LoadBalancer whose addresses are outputs. */
export class IpamService extends Service {
  /** The first address; with two families the one of the primary family. */
  declare readonly address: pulumi.Output<string>;
  /** All addresses. */
  declare readonly addresses: pulumi.Output<string[]>;

  /**
   * Declares the Service.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - wish and spec of the Service
   * @param opts - options of the component
   */
  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- the schema is made of it
  constructor(name: string, args: IpamServiceArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, args, opts);
  }
}

/** A MetalLB pool of addresses that the operator does not manage, with its advertisements. */
export class MetalLbPool extends Pool {
  /** Name for `metallb.io/address-pool` of Services that are not declared here. */
  declare readonly poolName: string;

  /**
   * Declares pool and advertisements.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - addresses and advertisements
   * @param opts - options of the component
   */
  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- the schema is made of it
  constructor(name: string, args: MetalLbPoolArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, args, opts);
  }
}

/** The record that an address or a prefix is taken, for taking over what another system gave out. */
export class AddressClaim extends Claim {
  /** Name of the object, which is made of network and address. */
  declare readonly claimName: pulumi.Output<string>;

  /**
   * Declares the claim.
   *
   * @param name - name of the component
   * @param args - the claimed space, and its holder
   * @param opts - options of the component
   */
  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- the schema is made of it
  constructor(name: string, args: AddressClaimArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, args, opts);
  }
}

/** Addresses of which Services of type LoadBalancer are given one each. */
export class IpGroup extends Group {
  /** Name of the group, for the annotation `paas.org/ipgroup` of Services. */
  declare readonly groupName: pulumi.Output<string>;

  /**
   * Declares the group.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - addresses, and the Services that they are given to
   * @param opts - options of the component
   */
  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- the schema is made of it
  constructor(name: string, args: IpGroupArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, args, opts);
  }
}

/** Addresses that namespaces send their traffic from, one of each CIDR. */
export class EgressIpam extends Egress {
  /** Name of the object, for the annotation `egressip-ipam-operator.redhat-cop.io/egressipam` of Namespaces. */
  declare readonly egressIpamName: pulumi.Output<string>;

  /**
   * Declares the EgressIPAM.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - CIDRs, and the nodes that carry their addresses
   * @param opts - options of the component
   */
  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- the schema is made of it
  constructor(name: string, args: EgressIpamArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, args, opts);
  }
}

/** A Service of type LoadBalancer with an address of an IPGroup, which is an output. */
export class VipService extends Vip {
  /** The first address; with two families the one of the primary family. */
  declare readonly address: pulumi.Output<string>;
  /** All addresses. */
  declare readonly addresses: pulumi.Output<string[]>;

  /**
   * Declares the Service.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - wish and spec of the Service
   * @param opts - options of the component
   */
  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- the schema is made of it
  constructor(name: string, args: VipServiceArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, args, opts);
  }
}

/** A Namespace with addresses of an EgressIPAM, which are outputs. */
export class EgressNamespace extends Namespace {
  /** Addresses that its traffic leaves the cluster with, one of each CIDR. */
  declare readonly addresses: pulumi.Output<string[]>;
  /** DNS label, for the objects of the Namespace. */
  declare readonly namespaceName: pulumi.Output<string>;

  /**
   * Declares it.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - EgressIPAM, and addresses that are asked for
   * @param opts - options of the component
   */
  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- the schema is made of it
  constructor(name: string, args: EgressNamespaceArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, args, opts);
  }
}

/** A routing instance, whose prefixes do not overlap. */
export class NetworkInstance extends Instance {
  /** Name of the instance, for prefixes and the selectors of allocations. */
  declare readonly instanceName: pulumi.Output<string>;

  /**
   * Declares it.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - name, and how prefixes are compared
   * @param opts - options of the component
   */
  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- the schema is made of it
  constructor(name: string, args: NetworkInstanceArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, args, opts);
  }
}

/** A prefix of a NetworkInstance. */
export class IpPrefix extends Prefix {
  /** The prefix as the operator accepted it. */
  declare readonly prefix: pulumi.Output<string>;
  /** The prefix around it; empty where there is none. */
  declare readonly parentPrefix: pulumi.Output<string>;

  /**
   * Declares it.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - prefix, kind and instance
   * @param opts - options of the component
   */
  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- the schema is made of it
  constructor(name: string, args: IpPrefixArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, args, opts);
  }
}

/** An address or a prefix of a NetworkInstance, which is an output. */
export class IpAllocation extends Allocation {
  /** Given prefix, in CIDR notation; with two families that of the first. */
  declare readonly prefix: pulumi.Output<string>;
  /** Address of the gateway; empty where the subnet has none. */
  declare readonly gateway: pulumi.Output<string>;
  /** The prefix that it was given from. */
  declare readonly parentPrefix: pulumi.Output<string>;
  /** Given prefixes, one for each family. */
  declare readonly prefixes: pulumi.Output<string[]>;

  /**
   * Declares it.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - kind and selector
   * @param opts - options of the component
   */
  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- the schema is made of it
  constructor(name: string, args: IpAllocationArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, args, opts);
  }
}

/** The prefixes of a NetworkInstance as data: one tree, of which each line becomes an IPPrefix. */
export class AddressPlan extends Plan {
  /** Name of the NetworkInstance, for the selectors of allocations. */
  declare readonly instanceName: pulumi.Output<string>;

  /**
   * Declares it.
   *
   * @param name - name of the component
   * @param args - instance and prefixes
   * @param opts - options of the component
   */
  // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- the schema is made of it
  constructor(name: string, args: AddressPlanArgs, opts?: pulumi.ComponentResourceOptions) {
    super(name, args, opts);
  }
}
