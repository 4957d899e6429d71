import * as pulumi from '@pulumi/pulumi';
import * as infra from 'cdk8s-ipam/infra';

import type { IpamOperatorArgs, IpamServiceArgs, MetalLbPoolArgs } from './args';

/** Args as the component takes them. Its rules check every word, which the schema knows as a text. */
type Checked<To, From> = [keyof From] extends [keyof To] ? To : never;

const checked = <To, From extends object>(args: From): Checked<To, From> => args as unknown as Checked<To, From>;

/** The IPAM operator with everything it needs. MetalLB is expected in the cluster, and cert-manager by default. */
export class IpamOperator extends pulumi.ComponentResource {
  /** Where the operator's Pods, Secrets and ConfigMaps stand. */
  readonly namespace: pulumi.Output<string>;
  /** Reference of the image that the operator runs. */
  readonly image: pulumi.Output<string>;

  /**
   * Declares the operator.
   *
   * @param name - name of the component
   * @param args - zones and settings
   * @param opts - options of the component
   */
  constructor(name: string, args: IpamOperatorArgs, opts?: pulumi.ComponentResourceOptions) {
    super('cdk8s-ipam:index:IpamOperator', name, {}, opts);
    const operator = new infra.IpamOperator(name, checked<infra.IpamOperatorArgs, IpamOperatorArgs>(args), {
      parent: this,
    });
    this.namespace = operator.namespace;
    this.image = operator.image;
    this.registerOutputs({ namespace: this.namespace, image: this.image });
  }
}

/** A Service of type LoadBalancer whose addresses are outputs. */
export class IpamService extends pulumi.ComponentResource {
  /** The first address; with two families the one of the primary family. */
  readonly address: pulumi.Output<string>;
  /** All addresses. */
  readonly addresses: pulumi.Output<string[]>;

  /**
   * Declares the Service.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - wish and spec of the Service
   * @param opts - options of the component
   */
  constructor(name: string, args: IpamServiceArgs, opts?: pulumi.ComponentResourceOptions) {
    super('cdk8s-ipam:index:IpamService', name, {}, opts);
    const service = new infra.IpamService(name, checked<infra.IpamServiceArgs, IpamServiceArgs>(args), {
      parent: this,
    });
    this.address = service.address;
    this.addresses = service.addresses.apply((all) => [...all]);
    this.registerOutputs({ address: this.address, addresses: this.addresses });
  }
}

/** A MetalLB pool of addresses that the operator does not manage, with its advertisements. */
export class MetalLbPool extends pulumi.ComponentResource {
  /** What Services that are not ours name in `metallb.io/address-pool`. */
  readonly poolName: pulumi.Output<string>;

  /**
   * Declares pool and advertisements.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - addresses and advertisements
   * @param opts - options of the component
   */
  constructor(name: string, args: MetalLbPoolArgs, opts?: pulumi.ComponentResourceOptions) {
    super('cdk8s-ipam:index:MetalLbPool', name, {}, opts);
    const pool = new infra.MetalLbPool(name, checked<infra.MetalLbPoolArgs, MetalLbPoolArgs>(args), { parent: this });
    this.poolName = pulumi.output(pool.poolName);
    this.registerOutputs({ poolName: this.poolName });
  }
}
