import * as pulumi from '@pulumi/pulumi';

import { AddressPlan as PlanConstruct, type AddressPlanProps } from '../../constructs';
import { ADDRESS_PLAN_PROPS } from '../../constructs/render/component-support';
import { argsOf } from '../args/args';
import type { DeferredExcept } from '../args/deferred-props';
import { EXTRA_READY_ARGS, type ReadyArgs } from '../args/extra-args';
import { LITERAL_PLAN_ARGS } from '../args/literal-args';
import { awaitingReady, waitingFor } from '../outputs/ready-wait';
import { checkExtraArgs, ConstructComponent, declare } from './construct-component';

/** Args of an {@link AddressPlan}; its lines become names and prefixes, so all of them are plain. */
export interface AddressPlanArgs
  extends DeferredExcept<AddressPlanProps, (typeof LITERAL_PLAN_ARGS)[number]>, ReadyArgs {
  /**
   * Namespace of all objects.
   *
   * @default - that of the provider, else that of its kubeconfig
   */
  readonly namespace?: string;
  /**
   * Labels of all objects; those of a prefix win.
   *
   * @default - none
   */
  readonly labels?: Readonly<Record<string, pulumi.Input<string>>>;
}

/** The prefixes of a {@link NetworkInstance} as data: one tree, of which each line becomes an IPPrefix. */
export class AddressPlan extends ConstructComponent {
  /** Name of the NetworkInstance, for the selectors of allocations. */
  readonly instanceName: pulumi.Output<string>;

  /**
   * Declares instance and prefixes.
   *
   * @param name - name of the component
   * @param args - instance and prefixes
   * @param opts - options of the component; let it depend on the operator of the same program
   * @throws RunError with everything that the API server or the operator would refuse
   */
  constructor(name: string, args: AddressPlanArgs, opts?: pulumi.ComponentResourceOptions) {
    const asked = { kind: 'AddressPlan', name, opts };
    const { waitForReady = true, timeoutSeconds = 300, ...rest } = argsOf(asked, args);
    checkExtraArgs(asked, { waitForReady, timeoutSeconds }, EXTRA_READY_ARGS);
    const declared = declare<AddressPlanProps, PlanConstruct>(asked, {
      args: rest,
      rule: ADDRESS_PLAN_PROPS,
      extra: EXTRA_READY_ARGS,
      literal: LITERAL_PLAN_ARGS,
      build: (chart, props) => new PlanConstruct(chart, 'Plan', props),
      inputsFor: (object) => awaitingReady(object, waitForReady),
    });
    super(asked);
    this.toResources(name, declared, () => waitingFor(timeoutSeconds));
    this.instanceName = pulumi.output(declared.construct.instance);
    this.registerOutputs({ instanceName: this.instanceName });
  }
}
