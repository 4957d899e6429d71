import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';

import { EgressNamespace as NamespaceConstruct, type EgressNamespaceProps } from '../../constructs';
import { EGRESS_NAMESPACE_PROPS } from '../../constructs/render/component-support';
import { argsOf } from '../args/args';
import type { DeferredExcept } from '../args/deferred-props';
import { EXTRA_SERVICE_ARGS } from '../args/extra-args';
import { LITERAL_EGRESS_NAMESPACE_ARGS } from '../args/literal-args';
import { awaitingEgress, egressAddresses } from '../outputs/egress-wait';
import { checkExtraArgs, ConstructComponent, declare } from './construct-component';

/** Args of an {@link EgressNamespace}; its list is compared with the EgressIPAMs of the program, so it is plain. */
export interface EgressNamespaceArgs extends DeferredExcept<
  EgressNamespaceProps,
  (typeof LITERAL_EGRESS_NAMESPACE_ARGS)[number]
> {
  /**
   * Name of the Namespace.
   *
   * @default - the name of the component
   */
  readonly name?: string;
  /**
   * Labels of the Namespace.
   *
   * @default - none
   */
  readonly labels?: Readonly<Record<string, pulumi.Input<string>>>;
  /**
   * Whether `pulumi up` waits until the Namespace shows its addresses. Without, `addresses` may be empty.
   *
   * @default true
   */
  readonly waitForAddresses?: boolean;
  /**
   * Seconds that `pulumi up` waits for the addresses, 1 to 86400; then it fails.
   *
   * @default 300
   */
  readonly timeoutSeconds?: number;
}

/**
 * A Namespace with addresses of an {@link EgressIpam}, which are Outputs, for example for a firewall rule of the same program. A preview
 * shows those of a new Namespace as unknown; a list that the operator would refuse is refused there.
 */
export class EgressNamespace extends ConstructComponent {
  /** Addresses that its traffic leaves the cluster with, one of each CIDR, in their order. */
  readonly addresses: pulumi.Output<string[]>;
  /** DNS label, for the objects of the Namespace. */
  readonly namespaceName: pulumi.Output<string>;
  /** The Namespace itself. */
  readonly namespace: kubernetes.core.v1.Namespace;

  /**
   * Declares the Namespace.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - EgressIPAM, and addresses that are asked for
   * @param opts - options of the component; let it depend on the operator and the EgressIPAM of the same program
   * @throws RunError with everything that the API server or the operator would refuse
   */
  constructor(name: string, args: EgressNamespaceArgs, opts?: pulumi.ComponentResourceOptions) {
    const asked = { kind: 'EgressNamespace', name, opts };
    const { waitForAddresses = true, timeoutSeconds = 300, ...rest } = argsOf(asked, args);
    checkExtraArgs(asked, { waitForAddresses, timeoutSeconds }, EXTRA_SERVICE_ARGS);
    const declared = declare<EgressNamespaceProps, NamespaceConstruct>(asked, {
      args: rest,
      rule: EGRESS_NAMESPACE_PROPS,
      extra: EXTRA_SERVICE_ARGS,
      literal: LITERAL_EGRESS_NAMESPACE_ARGS,
      build: (chart, props) => new NamespaceConstruct(chart, 'Namespace', { ...props, name: props.name ?? name }),
      inputsFor: (object) => awaitingEgress(object, waitForAddresses),
    });
    super(asked);
    const timeout = `${String(timeoutSeconds)}s`;
    const resources = this.toResources(name, declared, () => ({
      customTimeouts: { create: timeout, update: timeout },
    }));
    this.namespace = resources.resource(kubernetes.core.v1.Namespace, declared.construct.name);
    const { metadata, status } = this.namespace;
    // a preview knows the metadata that it asks for, and the status of a stored Namespace alone; one secret annotation makes all of it a secret
    this.addresses = pulumi.unsecret(pulumi.output({ metadata, status })).apply((shown) => egressAddresses(shown));
    this.namespaceName = pulumi.output(declared.construct.name);
    this.registerOutputs({ addresses: this.addresses, namespaceName: this.namespaceName });
  }
}
