import type { ApiObject } from 'cdk8s';

import type { IpFamilyWish } from '../../operator/contract/service-annotations';
import type { ZoneCatalogue } from '../../operator/contract/zones';
import type { ILabelSelector, IPodSelector } from './pods';

/** An IP family as Kubernetes writes it. */
export type IpFamily = 'IPv4' | 'IPv6';

/** One port of an {@link IpamService}. */
export interface IpamServicePort {
  /** Port that clients connect to, 1 to 65535. */
  readonly port: number;
  /**
   * Number or name of the container's port.
   *
   * @default - the same number as `port`
   */
  readonly targetPort?: number | string;
  /**
   * Protocol of the port.
   *
   * @default 'TCP'
   */
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
  /**
   * Name of the port; Kubernetes wants one where there are several.
   *
   * @default - none
   */
  readonly name?: string;
  /**
   * A fixed node port.
   *
   * @default - Kubernetes chooses, unless `allocateLoadBalancerNodePorts` is false
   */
  readonly nodePort?: number;
}

/** A Secret made beside the Service; the value comes from `value` or from `file`, one of the two. */
export interface GeneratedSecretProps {
  /**
   * Name of the Secret.
   *
   * @default - name of the Service, and `-ipam`
   */
  readonly name?: string;
  /**
   * The secret, 8 to 64 characters, for example from the environment: `value: process.env['SHOP_SECRET'] ?? ''`.
   *
   * @default - read from `file`
   */
  readonly value?: string;
  /**
   * File that holds the secret, read at synth; one line break at its end is not part of it.
   *
   * @default - `value` is used
   */
  readonly file?: string;
}

/** An {@link IpamService} as another one of the app sees it that wants to share its address. */
export interface IAddressOwner {
  /** Terms that another Service must have too to share the address. */
  readonly sharedTerms: SharedTerms;
}

/** Terms that all Services on one address have. No secret is in them, only the name of one. */
export interface SharedTerms {
  readonly zone?: string;
  readonly addresses?: readonly string[];
  readonly ipFamily?: IpFamilyWish;
  readonly ipFamilies?: readonly IpFamily[];
  readonly ipFamilyPolicy?: IpamServiceProps['ipFamilyPolicy'];
  readonly secret?: string;
  readonly allowLocalSharedIp?: string;
  readonly externalTrafficPolicy?: IpamServiceProps['externalTrafficPolicy'];
  /** The Service, for its namespace, ports and selector, and to be applied first. */
  readonly service: ApiObject;
}

/** Wish of a Service, without its ports and Pods. */
export interface IpamExposureProps {
  /**
   * Name of the Service.
   *
   * @default - the id of the construct; with `exposeViaIpam` the name in the workload's metadata, else the workload's id as a DNS label
   */
  readonly name?: string;
  /**
   * Namespace of the Service.
   *
   * @default - the namespace of the chart
   */
  readonly namespace?: string;
  /**
   * Zone that the addresses come from.
   *
   * @default - the operator's `services.defaultZone`
   */
  readonly zone?: string;
  /**
   * Wished addresses, at most one IPv4 and one IPv6.
   *
   * @default - free ones of the zone
   */
  readonly addresses?: readonly string[];
  /**
   * Families of the addresses. It also fills in `ipFamilies` (one family) or `ipFamilyPolicy` (`dual`) where both are
   * left out, so that later changes of it work too.
   *
   * @default - the primary family of the cluster
   */
  readonly ipFamily?: IpFamilyWish;
  /**
   * `spec.ipFamilies` as it is.
   *
   * @default - follows `ipFamily`
   */
  readonly ipFamilies?: readonly IpFamily[];
  /**
   * `spec.ipFamilyPolicy` as it is.
   *
   * @default - follows `ipFamily`
   */
  readonly ipFamilyPolicy?: 'SingleStack' | 'PreferDualStack' | 'RequireDualStack';
  /**
   * Name of a Secret in the same namespace that owns the addresses: type Opaque, key `secret`, 8 to 64 characters.
   *
   * @default 'default', the cluster's own secret, which proves ownership inside one namespace only
   */
  readonly secret?: string;
  /**
   * A Secret to be made beside the Service, in place of `secret`. **The value ends up in the YAML** (base64 hides nothing), so keep
   * that out of version control; a `secret` by name, made by your secret manager, is the better way.
   *
   * @default - none is made
   */
  readonly generatedSecret?: GeneratedSecretProps;
  /**
   * Another Service of the app and of the same cluster whose fixed addresses this one shares, on other ports. Zone, addresses,
   * families, secret, sharing key and traffic policy are taken over from it where they are left out; what the rules of sharing
   * forbid fails at synth.
   *
   * @default - none
   */
  readonly joins?: IAddressOwner;
  /**
   * Days for which the addresses stay with their secret after the Service is gone, 0 to 30.
   *
   * @default 0
   */
  readonly retentionPeriodDays?: number;
  /**
   * Keeps the registration when a clean-up comes from outside the cluster.
   *
   * @default false
   */
  readonly denyExternalCleanup?: boolean;
  /**
   * Sharing key: Services of one cluster with the same key may have one address, on different ports. For anycast, where several
   * clusters announce one address, no key is needed but the same `secret` in each of them.
   *
   * @default - the address is not shared inside the cluster
   */
  readonly allowLocalSharedIp?: string;
  /**
   * Which nodes take traffic from outside: all of them, or those that run a Pod of the Service, which keeps the client's address.
   *
   * @default 'Cluster'
   */
  readonly externalTrafficPolicy?: 'Cluster' | 'Local';
  /**
   * Whether Kubernetes opens a port on every node as well.
   *
   * @default - left to Kubernetes, which says true
   */
  readonly allocateLoadBalancerNodePorts?: boolean;
  /**
   * Load balancer class. A class that the operator does not list makes the Service one of another controller.
   *
   * @default - none
   */
  readonly loadBalancerClass?: string;
  /**
   * Further annotations; numbers and booleans become text, as Kubernetes wants it.
   *
   * @default - none
   */
  readonly annotations?: Readonly<Record<string, string | number | boolean>>;
  /**
   * Labels of the Service.
   *
   * @default - those of the chart
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Zones to check zone, families, addresses and, with those of an operator, its namespaces against; a Service of its classes that it
   * would never serve is refused: {@link IpamOperator.zones}, or a parsed zone file.
   *
   * @default - those of the operator that the app has for the cluster; where it has none, these checks are left to the webhook, and a
   *   warning of the process says so once
   */
  readonly zones?: ZoneCatalogue;
  /**
   * Name of the cluster that the Service is for, any word, where one app describes several: Services of different clusters may have
   * one name.
   *
   * @default - that of the operator whose `zones` are given, else every cluster of the app
   */
  readonly cluster?: string;
  /**
   * Families of the cluster as Kubernetes spells them, the primary one first.
   *
   * @default - unknown: refused is only what no cluster would take
   */
  readonly clusterFamilies?: readonly IpFamily[];
}

/** Props of an {@link IpamService}. */
export interface IpamServiceProps extends IpamExposureProps {
  /** Ports, at least one. */
  readonly ports: readonly IpamServicePort[];
  /**
   * Labels of the Pods behind the Service. Of `selector`, `labelSelector` and `pods` at most one is given.
   *
   * @default - none: endpoints are made by another program
   */
  readonly selector?: Readonly<Record<string, string>>;
  /**
   * The same as a `LabelSelector` of cdk8s-plus; with labels alone, since a Service knows no expressions.
   *
   * @default - none
   */
  readonly labelSelector?: ILabelSelector;
  /**
   * The same as Pods or a workload of cdk8s-plus, of the same namespace. The Pods of a workload need a label of their own in
   * `podMetadata`: `cdk8s.io/metadata.addr`, a hash that changes with the path of the construct, is never selected by.
   *
   * @default - none
   */
  readonly pods?: IPodSelector;
}

/** How {@link exposeViaIpam} exposes a workload; labels and, where left out, ports come from the workload. */
export interface ExposeViaIpamProps extends IpamExposureProps {
  /**
   * Id of the {@link IpamService} below the workload; a second exposure needs another one.
   *
   * @default 'IpamService'
   */
  readonly id?: string;
  /**
   * Ports of the Service.
   *
   * @default - those that the containers have when the function is called, by their numbers and names
   */
  readonly ports?: readonly IpamServicePort[];
}
