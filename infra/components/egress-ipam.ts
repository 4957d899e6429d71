import * as pulumi from '@pulumi/pulumi';

import { EgressIpam as EgressConstruct, type EgressIpamProps } from '../../constructs';
import { EGRESS_IPAM_PROPS } from '../../constructs/render/component-support';
import type { DeferredExcept } from '../args/deferred-props';
import { LITERAL_EGRESS_ARGS } from '../args/literal-args';
import { ConstructComponent, declare } from './construct-component';

/** Args of an {@link EgressIpam}; its CIDRs are compared with those of others, so the spec is plain. */
export interface EgressIpamArgs extends DeferredExcept<EgressIpamProps, (typeof LITERAL_EGRESS_ARGS)[number]> {
  /**
   * Name of the object.
   *
   * @default - the name of the component
   */
  readonly name?: string;
  /**
   * Labels of the object.
   *
   * @default - none
   */
  readonly labels?: Readonly<Record<string, pulumi.Input<string>>>;
}

/** Addresses that namespaces send their traffic from, one of each CIDR. */
export class EgressIpam extends ConstructComponent {
  /** Name of the object, for the annotation `egressip-ipam-operator.redhat-cop.io/egressipam` of Namespaces. */
  readonly egressIpamName: pulumi.Output<string>;

  /**
   * Declares the EgressIPAM.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - CIDRs, and the nodes that carry their addresses
   * @param opts - options of the component
   * @throws RunError with everything that the API server would refuse
   */
  constructor(name: string, args: EgressIpamArgs, opts?: pulumi.ComponentResourceOptions) {
    const asked = { kind: 'EgressIpam', name, opts };
    const declared = declare<EgressIpamProps, EgressConstruct>(asked, {
      args,
      rule: EGRESS_IPAM_PROPS,
      literal: LITERAL_EGRESS_ARGS,
      build: (chart, props) => new EgressConstruct(chart, 'EgressIpam', { ...props, name: props.name ?? name }),
    });
    super(asked);
    this.toResources(name, declared);
    this.egressIpamName = pulumi.output(declared.construct.name);
    this.registerOutputs({ egressIpamName: this.egressIpamName });
  }
}
