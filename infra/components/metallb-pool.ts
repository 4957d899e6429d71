import type * as pulumi from '@pulumi/pulumi';

import { MetalLbPool as PoolConstruct, type MetalLbPoolProps } from '../../constructs';
import { METALLB_POOL } from '../../constructs/render/component-support';
import type { DeferredExcept } from '../args/deferred-props';
import { LITERAL_POOL_ARGS } from '../args/literal-args';
import { ConstructComponent, declare } from './construct-component';

/** Args of a {@link MetalLbPool}. */
export interface MetalLbPoolArgs extends DeferredExcept<MetalLbPoolProps, (typeof LITERAL_POOL_ARGS)[number]> {
  /**
   * Name of the pool and of its advertisements. The name of a zone is taken by the zone's own pool.
   *
   * @default - the name of the component
   */
  readonly name?: string;
}

/** A MetalLB pool of addresses that the operator does not manage, with its advertisements. It overlaps no zone of the program. */
export class MetalLbPool extends ConstructComponent {
  /** Name of the pool, for the annotation `metallb.io/address-pool` of Services that are not ours. */
  readonly poolName: string;

  /**
   * Declares pool and advertisements.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - addresses and advertisements
   * @param opts - options of the component
   * @throws RunError with everything that MetalLB would refuse
   */
  constructor(name: string, args: MetalLbPoolArgs, opts?: pulumi.ComponentResourceOptions) {
    const asked = { kind: 'MetalLbPool', name, opts };
    const declared = declare<MetalLbPoolProps, PoolConstruct>(asked, {
      args,
      rule: METALLB_POOL,
      literal: LITERAL_POOL_ARGS,
      build: (chart, props) => new PoolConstruct(chart, 'Pool', { ...props, name: props.name ?? name }),
    });
    super(asked);
    this.toResources(name, declared);
    this.poolName = declared.construct.poolName;
    this.registerOutputs({ poolName: this.poolName });
  }
}
