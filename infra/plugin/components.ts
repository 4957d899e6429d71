import type * as pulumi from '@pulumi/pulumi';
import * as infra from 'cdk8s-ipam/infra';

import type { IpamOperatorArgs, IpamServiceArgs, MetalLbPoolArgs } from './args';

/**
 * A component of the package as Pulumi's schema can tell it: a `ComponentResource` with args of named interfaces, in which words
 * such as `deny` are texts. Its rules check every word. `From` has no arg that `To` does not know.
 */
type Told<To, From> = [keyof From] extends [keyof To]
  ? new (name: string, args: From, opts?: pulumi.ComponentResourceOptions) => pulumi.ComponentResource
  : never;

// The classes below are the package's own, so a resource has the same URN whatever language its program is in.
const Operator = infra.IpamOperator as unknown as Told<infra.IpamOperatorArgs, IpamOperatorArgs>;
const Service = infra.IpamService as unknown as Told<infra.IpamServiceArgs, IpamServiceArgs>;
const Pool = infra.MetalLbPool as unknown as Told<infra.MetalLbPoolArgs, MetalLbPoolArgs>;

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
  /** What Services that are not ours name in `metallb.io/address-pool`. */
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
