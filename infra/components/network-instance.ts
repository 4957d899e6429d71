import * as pulumi from '@pulumi/pulumi';

import { NetworkInstance as InstanceConstruct, type NetworkInstanceProps } from '../../constructs';
import { NETWORK_INSTANCE_PROPS } from '../../constructs/render/component-support';
import { argsOf } from '../args/args';
import type { DeferredExcept } from '../args/deferred-props';
import { EXTRA_READY_ARGS, type ReadyArgs } from '../args/extra-args';
import { LITERAL_INSTANCE_ARGS } from '../args/literal-args';
import { awaitingReady, waitingFor } from '../outputs/ready-wait';
import { checkExtraArgs, ConstructComponent, declare } from './construct-component';

/** Args of a {@link NetworkInstance}: the props of the construct, with Outputs wherever the value is not looked at. */
export interface NetworkInstanceArgs
  extends DeferredExcept<NetworkInstanceProps, (typeof LITERAL_INSTANCE_ARGS)[number]>, ReadyArgs {
  /**
   * Name of the instance.
   *
   * @default - the name of the component
   */
  readonly name?: string;
  /**
   * Namespace of the instance.
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

/** A routing instance, whose prefixes do not overlap. */
export class NetworkInstance extends ConstructComponent {
  /** Name of the instance, for `spec.networkInstance` of prefixes and the selectors of allocations. */
  readonly instanceName: pulumi.Output<string>;

  /**
   * Declares the instance.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - name, and how prefixes are compared
   * @param opts - options of the component
   * @throws RunError with everything that the API server would refuse
   */
  constructor(name: string, args: NetworkInstanceArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    const asked = { kind: 'NetworkInstance', name, opts };
    const { waitForReady = true, timeoutSeconds = 300, ...rest } = argsOf(asked, args);
    checkExtraArgs(asked, { waitForReady, timeoutSeconds }, EXTRA_READY_ARGS);
    const declared = declare<NetworkInstanceProps, InstanceConstruct>(asked, {
      args: rest,
      rule: NETWORK_INSTANCE_PROPS,
      extra: EXTRA_READY_ARGS,
      literal: LITERAL_INSTANCE_ARGS,
      build: (chart, props) => new InstanceConstruct(chart, 'Instance', { ...props, name: props.name ?? name }),
      inputsFor: (object) => awaitingReady(object, waitForReady),
    });
    super(asked);
    this.toResources(name, declared, () => waitingFor(timeoutSeconds));
    this.instanceName = pulumi.output(declared.construct.name);
    this.registerOutputs({ instanceName: this.instanceName });
  }
}
