import type { IpamServicePort, IpFamily } from '../service/ipam-service-props';

/** Props of a {@link VipService}. */
export interface VipServiceProps {
  /**
   * Name of the Service.
   *
   * @default - the construct's id
   */
  readonly name?: string;
  /**
   * Namespace of the Service.
   *
   * @default - the namespace of the chart
   */
  readonly namespace?: string;
  /** Ports, at least one. */
  readonly ports: readonly IpamServicePort[];
  /**
   * Labels of the Pods behind the Service.
   *
   * @default - none: endpoints are made by another program
   */
  readonly selector?: Readonly<Record<string, string>>;
  /**
   * Name of the group that the addresses come from: {@link IpGroup.name}.
   *
   * @default - the first group that serves the Service and has a free address
   */
  readonly group?: string;
  /**
   * Wished addresses, at most one IPv4 and one IPv6. Where the app declares groups of the cluster, each has to lie in one of them.
   *
   * @default - the lowest free ones
   */
  readonly addresses?: readonly string[];
  /**
   * Services with the same key may have one address, on different ports.
   *
   * @default - the address is not shared
   */
  readonly sharingKey?: string;
  /**
   * Load balancer class, one of the operator's `vips.loadBalancerClasses`.
   *
   * @default 'paas.org/vip'
   */
  readonly loadBalancerClass?: string;
  /**
   * Whether the Service has no class, for an operator with `vips.classless`.
   *
   * @default false
   */
  readonly classless?: boolean;
  /**
   * `spec.ipFamilies` as it is.
   *
   * @default - the primary family of the cluster
   */
  readonly ipFamilies?: readonly IpFamily[];
  /**
   * `spec.ipFamilyPolicy` as it is.
   *
   * @default 'SingleStack'
   */
  readonly ipFamilyPolicy?: 'SingleStack' | 'PreferDualStack' | 'RequireDualStack';
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
   * Further annotations.
   *
   * @default - none
   */
  readonly annotations?: Readonly<Record<string, string>>;
  /**
   * Labels of the Service.
   *
   * @default - those of the chart
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Name of the cluster that the Service is for, any word, where one app describes several.
   *
   * @default - every cluster of the app
   */
  readonly cluster?: string;
}
