import * as pulumi from '@pulumi/pulumi';

import { IpAllocation as AllocationConstruct, type IpAllocationProps } from '../../constructs';
import { IP_ALLOCATION_PROPS } from '../../constructs/render/component-support';
import { argsOf } from '../args/args';
import type { DeferredExcept } from '../args/deferred-props';
import { EXTRA_READY_ARGS, type ReadyArgs } from '../args/extra-args';
import { LITERAL_ALLOCATION_ARGS } from '../args/literal-args';
import { awaitingReady, shownOf, waitingFor, withStatus, type ShownPrefix } from '../outputs/ready-wait';
import { checkExtraArgs, ConstructComponent, declare } from './construct-component';

/** Args of an {@link IpAllocation}; it is compared with the prefixes of the program, so the spec is plain. */
export interface IpAllocationArgs
  extends DeferredExcept<IpAllocationProps, (typeof LITERAL_ALLOCATION_ARGS)[number]>, ReadyArgs {
  /**
   * Name of the allocation.
   *
   * @default - the name of the component
   */
  readonly name?: string;
  /**
   * Namespace of the allocation.
   *
   * @default - that of the provider, else that of its kubeconfig
   */
  readonly namespace?: string;
  /**
   * Labels of the object.
   *
   * @default - none
   */
  readonly labels?: Readonly<Record<string, pulumi.Input<string>>>;
}

/**
 * An address or a prefix of a {@link NetworkInstance}, which is an Output, for example for the annotation of a Pod of the same program.
 * A preview shows that of a new allocation as unknown.
 */
export class IpAllocation extends ConstructComponent {
  /** Given prefix, in CIDR notation; with two families that of the first. */
  readonly prefix: pulumi.Output<string>;
  /** Address of the gateway; empty where the subnet has none, and for kinds other than network. */
  readonly gateway: pulumi.Output<string>;
  /** The prefix that it was given from. */
  readonly parentPrefix: pulumi.Output<string>;
  /** Given prefixes, in the order of the families; one where no families are given. */
  readonly prefixes: pulumi.Output<string[]>;

  /**
   * Declares the allocation.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - kind and selector
   * @param opts - options of the component; let it depend on the operator and the prefixes of the same program
   * @throws RunError with everything that the API server would refuse, and the operator beside the prefixes of the program
   */
  constructor(name: string, args: IpAllocationArgs, opts?: pulumi.ComponentResourceOptions) {
    const asked = { kind: 'IpAllocation', name, opts };
    const { waitForReady = true, timeoutSeconds = 300, ...rest } = argsOf(asked, args);
    checkExtraArgs(asked, { waitForReady, timeoutSeconds }, EXTRA_READY_ARGS);
    const declared = declare<IpAllocationProps, AllocationConstruct>(asked, {
      args: rest,
      rule: IP_ALLOCATION_PROPS,
      extra: EXTRA_READY_ARGS,
      literal: LITERAL_ALLOCATION_ARGS,
      build: (chart, props) => new AllocationConstruct(chart, 'Allocation', { ...props, name: props.name ?? name }),
      inputsFor: (object) => awaitingReady(object, waitForReady),
      finish: withStatus,
    });
    super(asked);
    const made = this.toResources(name, declared, () => waitingFor(timeoutSeconds));
    const resources = declared.construct.allocations.map((each) => made.resource(pulumi.CustomResource, each.name));
    const first = (field: keyof ShownPrefix): pulumi.Output<string> =>
      pulumi.output(resources.slice(0, 1).map((each) => shownOf(each, field))).apply(([shown = '']) => shown);
    this.prefix = first('prefix');
    this.gateway = first('gateway');
    this.parentPrefix = first('parentPrefix');
    this.prefixes = pulumi.output(resources.map((each) => shownOf(each, 'prefix')));
    const { prefix, gateway, parentPrefix, prefixes } = this;
    this.registerOutputs({ prefix, gateway, parentPrefix, prefixes });
  }
}
