import * as pulumi from '@pulumi/pulumi';

import { IpPrefix as PrefixConstruct, type IpPrefixProps } from '../../constructs';
import { IP_PREFIX_PROPS } from '../../constructs/render/component-support';
import { argsOf } from '../args/args';
import type { DeferredExcept } from '../args/deferred-props';
import { EXTRA_READY_ARGS, type ReadyArgs } from '../args/extra-args';
import { LITERAL_PREFIX_ARGS } from '../args/literal-args';
import { awaitingReady, shownOf, waitingFor, withStatus } from '../outputs/ready-wait';
import { checkExtraArgs, ConstructComponent, declare } from './construct-component';

/** Args of an {@link IpPrefix}; it is compared with the other prefixes of the program, so the spec is plain. */
export interface IpPrefixArgs extends DeferredExcept<IpPrefixProps, (typeof LITERAL_PREFIX_ARGS)[number]>, ReadyArgs {
  /**
   * Name of the prefix.
   *
   * @default - the name of the component
   */
  readonly name?: string;
  /**
   * Namespace of the prefix.
   *
   * @default - that of the provider, else that of its kubeconfig
   */
  readonly namespace?: string;
  /**
   * Labels of the object, by which allocations select it.
   *
   * @default - none
   */
  readonly labels?: Readonly<Record<string, pulumi.Input<string>>>;
}

/** A prefix of a {@link NetworkInstance}. */
export class IpPrefix extends ConstructComponent {
  /** The prefix as the operator accepted it, in canonical text. */
  readonly prefix: pulumi.Output<string>;
  /** The prefix around it; empty where there is none. */
  readonly parentPrefix: pulumi.Output<string>;

  /**
   * Declares the prefix.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - prefix, kind and instance
   * @param opts - options of the component; let it depend on the operator and the instance of the same program
   * @throws RunError with everything that the API server would refuse, and the operator beside the other prefixes of the program
   */
  constructor(name: string, args: IpPrefixArgs, opts?: pulumi.ComponentResourceOptions) {
    const asked = { kind: 'IpPrefix', name, opts };
    const { waitForReady = true, timeoutSeconds = 300, ...rest } = argsOf(asked, args);
    checkExtraArgs(asked, { waitForReady, timeoutSeconds }, EXTRA_READY_ARGS);
    const declared = declare<IpPrefixProps, PrefixConstruct>(asked, {
      args: rest,
      rule: IP_PREFIX_PROPS,
      extra: EXTRA_READY_ARGS,
      literal: LITERAL_PREFIX_ARGS,
      build: (chart, props) => new PrefixConstruct(chart, 'Prefix', { ...props, name: props.name ?? name }),
      inputsFor: (object) => awaitingReady(object, waitForReady),
      finish: withStatus,
    });
    super(asked);
    const resources = this.toResources(name, declared, () => waitingFor(timeoutSeconds));
    const resource = resources.resource(pulumi.CustomResource, declared.construct.name);
    this.prefix = shownOf(resource, 'prefix');
    this.parentPrefix = shownOf(resource, 'parentPrefix');
    this.registerOutputs({ prefix: this.prefix, parentPrefix: this.parentPrefix });
  }
}
