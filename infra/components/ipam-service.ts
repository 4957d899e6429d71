import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';

import {
  IpamService as ServiceConstruct,
  type IAddressOwner,
  type IpamServiceProps,
  type SharedTerms,
} from '../../constructs';
import { leftOutProblems, operatorOfService, SERVICE } from '../../constructs/render/component-support';
import type { ApiManifest } from '../../constructs/render/objects/ordered-objects';
import { IPAM } from '../../operator/contract/group';
import { argsOf, refusal } from '../args/args';
import type { DeferredExcept } from '../args/deferred-props';
import { EXTRA_SERVICE_ARGS } from '../args/extra-args';
import { LITERAL_SERVICE_ARGS } from '../args/literal-args';
import { awaitingAddresses, markedInputs } from '../outputs/address-wait';
import { annotationsOf } from '../outputs/awaiting';
import { shownAddresses } from '../outputs/shown-addresses';
import { checkExtraArgs, componentOf, ConstructComponent, declare } from './construct-component';

/** Props that belong to cdk8s, or have another type here. */
type Cdk8sProp = 'labelSelector' | 'pods' | 'joins';

/** Args of an {@link IpamService}: the props of the construct, with Outputs wherever the value is not looked at. */
export interface IpamServiceArgs extends DeferredExcept<
  Omit<IpamServiceProps, Cdk8sProp>,
  (typeof LITERAL_SERVICE_ARGS)[number]
> {
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
   * Labels of the Pods behind the Service.
   *
   * @default - none: endpoints are made by another program
   */
  readonly selector?: Readonly<Record<string, pulumi.Input<string>>>;
  /**
   * Another Service of the program and of the same cluster whose fixed addresses this one shares, on other ports.
   *
   * @default - none
   */
  readonly joins?: IpamService;
  /**
   * Whether `pulumi up` waits until the Service has its addresses and MetalLB announces them. Without, `addresses` may be empty.
   *
   * @default true
   */
  readonly waitForAddresses?: boolean;
  /**
   * Seconds that `pulumi up` waits for the addresses, 1 to 86400; then it fails with what the operator says of the Service, or with
   * `Has no .status.conditions` where no operator serves it.
   *
   * @default 300
   */
  readonly timeoutSeconds?: number;
}

// A changed zone is an update in place: the operator moves the Service, and the old address stays until the new one is announced.
function replacementOf(object: ApiManifest): pulumi.CustomResourceOptions {
  // its successor asks for the same addresses, which have one owner at a time, or one for each port
  return annotationsOf(object)[IPAM.addresses] === undefined ? {} : { deleteBeforeReplace: true };
}

// The construct cannot know whose a Service without zones is; here the program would wait for its address.
function unservedProblems({ zones, namespace, loadBalancerClass }: Partial<IpamServiceArgs>): readonly string[] {
  if (zones !== undefined || loadBalancerClass !== undefined || typeof namespace !== 'string') return [];
  return leftOutProblems(namespace).map(({ message }) => message);
}

// Another controller may serve the class, so it is no fault; but the wait below is for the operator's word.
function warnOfForeignClass(
  component: IpamService,
  { loadBalancerClass }: Partial<IpamServiceArgs>,
  operator: ReturnType<typeof operatorOfService>,
): void {
  if (operator === undefined || typeof loadBalancerClass !== 'string') return;
  const { loadBalancerClasses = [] } = operator.services;
  if (loadBalancerClasses.includes(loadBalancerClass)) return;
  const served = ['none', ...loadBalancerClasses].join(', ');
  const text = `loadBalancerClass: "${loadBalancerClass}" is not served by the operator (served is ${served}), so \`pulumi up\` would wait for addresses until its time-out; list it in services.loadBalancerClasses, or give waitForAddresses: false`;
  void pulumi.log.warn(text, component);
}

type Options = pulumi.ComponentResourceOptions | undefined;

const after = (opts: Options, ...others: readonly (pulumi.Resource | undefined)[]): Options => {
  const dependsOn = others.filter((each) => each !== undefined);
  return dependsOn.length === 0 ? opts : pulumi.mergeOptions(opts, { dependsOn });
};

/**
 * A Service of type LoadBalancer whose addresses are Outputs, for example for a DNS record of the same program. A preview
 * reserves nothing, and shows the addresses of a new Service as unknown.
 *
 * Another `zone` moves it in place: it has another address then, and keeps the old one until the new one is announced. A Service with
 * fixed `addresses`, or one that joins another, is deleted first where it has to be replaced: its successor gets the same addresses.
 */
export class IpamService extends ConstructComponent implements IAddressOwner {
  /** The first address; with two families the one of the primary family. */
  readonly address: pulumi.Output<string>;
  /** All addresses that the Service has, the one of the primary family first. */
  readonly addresses: pulumi.Output<string[]>;
  /** The Service itself. */
  readonly service: kubernetes.core.v1.Service;
  /** Terms that another Service must have too to share the address, for {@link IpamServiceArgs.joins}. */
  readonly sharedTerms: SharedTerms;

  /**
   * Declares the Service, and its Secret where one is to be made.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - wish and spec of the Service
   * @param opts - options of the component; it depends on the {@link IpamOperator} whose `zones` it is given, or that the program declared
   *   before it for the same provider
   * @throws RunError with everything that the webhook would refuse
   */
  constructor(name: string, args: IpamServiceArgs, opts?: pulumi.ComponentResourceOptions) {
    const called = { kind: 'IpamService', name };
    const { waitForAddresses = true, timeoutSeconds = 300, ...rest } = argsOf(called, args);
    const { joins } = rest;
    // anything else is refused below, by its name
    const joined = joins instanceof IpamService ? [joins] : [];
    const asked = { ...called, opts: after(opts, ...joined) };
    checkExtraArgs(asked, { waitForAddresses, timeoutSeconds }, EXTRA_SERVICE_ARGS);
    const unserved = unservedProblems(rest);
    if (unserved.length > 0) throw refusal(asked, unserved);
    const declared = declare<IpamServiceProps, ServiceConstruct>(asked, {
      args: rest,
      rule: SERVICE,
      extra: EXTRA_SERVICE_ARGS,
      literal: LITERAL_SERVICE_ARGS,
      build: (chart, props) => new ServiceConstruct(chart, 'Service', { ...props, name: props.name ?? name }),
      inputsFor: (object) => awaitingAddresses(object, waitForAddresses),
      finish: markedInputs,
    });
    const operator = operatorOfService(declared.construct, { zones: rest.zones, cluster: rest.cluster });
    // created after pool, advertisement and webhooks of the same program, and deleted before them
    super({ ...asked, opts: after(asked.opts, operator && componentOf(operator)) });
    const timeout = `${String(timeoutSeconds)}s`;
    const resources = this.toResources(name, declared, (object) =>
      object.kind === 'Service'
        ? { customTimeouts: { create: timeout, update: timeout }, ...replacementOf(object) }
        : {},
    );
    const { service: object, sharedTerms } = declared.construct;
    this.sharedTerms = sharedTerms;
    this.service = resources.resource(kubernetes.core.v1.Service, object.name);
    const { metadata, spec, status } = this.service;
    // one secret annotation makes all of the metadata a secret, and the addresses are open to every reader
    const live = pulumi.unsecret(pulumi.output({ metadata, spec, status }));
    this.addresses = live.apply((shown) => shownAddresses(shown));
    this.address = this.addresses.apply(([first = '']) => first);
    this.registerOutputs({ address: this.address, addresses: this.addresses });
    if (waitForAddresses) warnOfForeignClass(this, rest, operator);
  }
}
