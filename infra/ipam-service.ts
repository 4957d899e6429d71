import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';

import { IpamService as ServiceConstruct } from '../constructs/ipam-service';
import type { IAddressOwner, IpamServiceProps, SharedTerms } from '../constructs/ipam-service-props';
import { SERVICE } from '../constructs/props/service-rules';
import type { ApiManifest } from '../constructs/render/objects';
import { leftOutProblems } from '../constructs/service-parts/unserved';
import { IPAM } from '../operator/contract/group';
import { awaitingAddresses } from './address-wait';
import { annotationsOf } from './awaiting';
import { argsOf, ConstructComponent } from './component';
import type { LateExcept } from './late-props';
import { OWN_SERVICE_ARGS } from './own-args';
import { PLAIN_SERVICE_ARGS } from './plain-args';
import { shownAddresses } from './shown-addresses';

/** Props that belong to cdk8s, or have another type here. */
type Cdk8sProp = 'labelSelector' | 'pods' | 'joins';

/** What an {@link IpamService} is made of: the props of the construct, with Outputs wherever nobody has to look at the value. */
export interface IpamServiceArgs extends LateExcept<
  Omit<IpamServiceProps, Cdk8sProp>,
  (typeof PLAIN_SERVICE_ARGS)[number]
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
   * @default - none: endpoints are made by somebody else
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
   * Seconds that `pulumi up` waits for the addresses, 1 to 86400; then it fails with what the operator says of the Service.
   *
   * @default 300
   */
  readonly timeoutSeconds?: number;
}

const ZONE_PATH = `metadata.annotations["${IPAM.zone}"]`;

// A stored Service shows its address in the key by which a program asks for one, and a zone that changes beside it is refused.
// Only who gives that key moves in place: a program does not know what stands there, and would empty it in every update.
function replacementOf(object: ApiManifest): pulumi.CustomResourceOptions {
  const { [IPAM.zone]: zone, [IPAM.addresses]: addresses } = annotationsOf(object);
  // its successor asks for the same addresses, which have one owner at a time, or one for each port
  if (addresses !== undefined) return { deleteBeforeReplace: true };
  // its successor has the same name
  return zone === undefined ? {} : { deleteBeforeReplace: true, replaceOnChanges: [ZONE_PATH] };
}

// The construct cannot know whose a Service without zones is; here somebody would wait for its address.
function unservedProblems({ zones, namespace, loadBalancerClass }: Partial<IpamServiceArgs>): readonly string[] {
  if (zones !== undefined || loadBalancerClass !== undefined || typeof namespace !== 'string') return [];
  return leftOutProblems(namespace).map(({ message }) => message);
}

/**
 * A Service of type LoadBalancer whose addresses are Outputs, for example for a DNS record of the same program. A preview
 * reserves nothing, and shows the addresses of a new Service as unknown.
 *
 * A Service that names its zone or fixed `addresses`, or joins another one, is deleted first where it has to be replaced: its successor
 * gets the same fixed addresses. Without fixed ones another `zone` replaces it, and it has another address then.
 */
export class IpamService extends ConstructComponent implements IAddressOwner {
  /** The first address; with two families the one of the primary family. */
  readonly address: pulumi.Output<string>;
  /** All addresses that the Service has, the one of the primary family first. */
  readonly addresses: pulumi.Output<string[]>;
  /** The Service itself. */
  readonly service: kubernetes.core.v1.Service;
  /** What another Service says alike to share the address, for {@link IpamServiceArgs.joins}. */
  readonly sharedTerms: SharedTerms;

  /**
   * Declares the Service, and its Secret where one is to be made.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - wish and spec of the Service
   * @param opts - options of the component; let it depend on the {@link IpamOperator} of the same program
   * @throws RunError with everything that the webhook would refuse
   */
  constructor(name: string, args: IpamServiceArgs, opts?: pulumi.ComponentResourceOptions) {
    const { waitForAddresses = true, timeoutSeconds = 300, ...rest } = argsOf(args);
    const { joins } = rest;
    // anything else is refused below, by its name
    const joined = joins instanceof IpamService ? [joins] : [];
    super('IpamService', name, joined.length === 0 ? opts : pulumi.mergeOptions(opts, { dependsOn: joined }));
    this.check({ waitForAddresses, timeoutSeconds }, OWN_SERVICE_ARGS);
    const unserved = unservedProblems(rest);
    if (unserved.length > 0) throw this.refusal(unserved);
    const timeout = `${String(timeoutSeconds)}s`;
    const { construct, adopted } = this.adopt<IpamServiceProps, ServiceConstruct>({
      args: rest,
      rule: SERVICE,
      own: OWN_SERVICE_ARGS,
      plain: PLAIN_SERVICE_ARGS,
      build: (chart, props) => new ServiceConstruct(chart, 'Service', { name, ...props }),
      inputsFor: (object) => awaitingAddresses(object, waitForAddresses),
      optionsFor: (object) =>
        object.kind === 'Service'
          ? { customTimeouts: { create: timeout, update: timeout }, ...replacementOf(object) }
          : {},
    });
    this.sharedTerms = construct.sharedTerms;
    const service = adopted.of(construct.service);
    if (!kubernetes.core.v1.Service.isInstance(service)) throw this.refusal(['the SDK of Kubernetes has no Service']);
    this.service = service;
    const { metadata, spec, status } = service;
    this.addresses = pulumi.output({ metadata, spec, status }).apply((live) => shownAddresses(live));
    this.address = this.addresses.apply(([first = '']) => first);
    this.registerOutputs({ address: this.address, addresses: this.addresses });
  }
}
