import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';

import { VipService as ServiceConstruct, type VipServiceProps } from '../../constructs';
import { VIP_SERVICE } from '../../constructs/render/component-support';
import { VIP_KEYS } from '../../operator/contract/paas';
import { argsOf } from '../args/args';
import type { DeferredExcept } from '../args/deferred-props';
import { EXTRA_SERVICE_ARGS } from '../args/extra-args';
import { LITERAL_VIP_ARGS } from '../args/literal-args';
import { annotationsOf } from '../outputs/awaiting';
import { shownAddresses } from '../outputs/shown-addresses';
import { awaitingVip } from '../outputs/vip-wait';
import { checkExtraArgs, ConstructComponent, declare } from './construct-component';

/** Args of a {@link VipService}: the props of the construct, with Outputs wherever the value is not looked at. */
export interface VipServiceArgs extends DeferredExcept<VipServiceProps, (typeof LITERAL_VIP_ARGS)[number]> {
  /**
   * Name of the Service.
   *
   * @default - the name of the component
   */
  readonly name?: string;
  /**
   * Namespace of the Service.
   *
   * @default - that of the provider, else that of its kubeconfig
   */
  readonly namespace?: pulumi.Input<string>;
  /**
   * Labels of the Service.
   *
   * @default - none
   */
  readonly labels?: Readonly<Record<string, pulumi.Input<string>>>;
  /**
   * Whether `pulumi up` waits until the Service shows its address. Without, `addresses` may be empty.
   *
   * @default true
   */
  readonly waitForAddresses?: boolean;
  /**
   * Seconds that `pulumi up` waits for the address, 1 to 86400; then it fails with what the operator says of the Service.
   *
   * @default 300
   */
  readonly timeoutSeconds?: number;
}

/**
 * A Service of type LoadBalancer with an address of an {@link IpGroup}, which is an Output, for example for a DNS record of the same
 * program. A preview shows the address of a new Service as unknown; one that lies in no group of the program is refused there.
 */
export class VipService extends ConstructComponent {
  /** The first address; with two families the one of the primary family. */
  readonly address: pulumi.Output<string>;
  /** All addresses that the Service has, the one of the primary family first. */
  readonly addresses: pulumi.Output<string[]>;
  /** The Service itself. */
  readonly service: kubernetes.core.v1.Service;

  /**
   * Declares the Service.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - wish and spec of the Service
   * @param opts - options of the component; let it depend on the operator and the groups of the same program
   * @throws RunError with everything that no operator would give
   */
  constructor(name: string, args: VipServiceArgs, opts?: pulumi.ComponentResourceOptions) {
    const asked = { kind: 'VipService', name, opts };
    const { waitForAddresses = true, timeoutSeconds = 300, ...rest } = argsOf(asked, args);
    checkExtraArgs(asked, { waitForAddresses, timeoutSeconds }, EXTRA_SERVICE_ARGS);
    const declared = declare<VipServiceProps, ServiceConstruct>(asked, {
      args: rest,
      rule: VIP_SERVICE,
      extra: EXTRA_SERVICE_ARGS,
      literal: LITERAL_VIP_ARGS,
      build: (chart, props) => new ServiceConstruct(chart, 'Service', { ...props, name: props.name ?? name }),
      inputsFor: (object) => awaitingVip(object, waitForAddresses),
    });
    super(asked);
    const timeout = `${String(timeoutSeconds)}s`;
    const resources = this.toResources(name, declared, (object) =>
      object.kind === 'Service'
        ? {
            customTimeouts: { create: timeout, update: timeout },
            // its successor asks for the same addresses, which have one owner at a time
            ...(annotationsOf(object)[VIP_KEYS.addresses] === undefined ? {} : { deleteBeforeReplace: true }),
          }
        : {},
    );
    this.service = resources.resource(kubernetes.core.v1.Service, declared.construct.service.name);
    const { spec, status } = this.service;
    // one secret annotation makes all of the metadata a secret, and the addresses are open to every reader
    this.addresses = pulumi.unsecret(pulumi.output({ spec, status })).apply((shown) => shownAddresses(shown));
    this.address = this.addresses.apply(([first = '']) => first);
    this.registerOutputs({ address: this.address, addresses: this.addresses });
  }
}
