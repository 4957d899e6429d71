import type { IpFamilyWish } from '../operator/contract/service-annotations';
import type { ZoneCatalogue } from '../operator/contract/zones';

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
  /** @default 'TCP' */
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

/** What an {@link IpamService} is made of. */
export interface IpamServiceProps {
  /**
   * Name of the Service.
   *
   * @default - the id of the construct
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
   * @default - none: endpoints are made by somebody else
   */
  readonly selector?: Readonly<Record<string, string>>;
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
   * Name of a Secret in the same namespace that owns the addresses.
   *
   * @default 'default', the cluster's own secret
   */
  readonly secret?: string;
  /**
   * Days for which the addresses stay with their secret after the Service is gone, 0 to 30.
   *
   * @default 0
   */
  readonly retentionPeriodDays?: number;
  /**
   * Keeps the registration when somebody cleans up from outside the cluster.
   *
   * @default false
   */
  readonly denyExternalCleanup?: boolean;
  /**
   * Sharing key: Services with the same key may have one address, with different ports.
   *
   * @default - the address is not shared
   */
  readonly allowLocalSharedIp?: string;
  /** @default 'Cluster' */
  readonly externalTrafficPolicy?: 'Cluster' | 'Local';
  /**
   * Whether Kubernetes opens a port on every node as well.
   *
   * @default - left to Kubernetes, which says true
   */
  readonly allocateLoadBalancerNodePorts?: boolean;
  /**
   * Load balancer class. A class that the operator does not list makes the Service somebody else's.
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
   * Zones to check zone, families and addresses against: {@link IpamOperator.zones}, or a parsed zone file.
   *
   * @default - these checks are left to the webhook
   */
  readonly zones?: ZoneCatalogue;
  /**
   * Families of the cluster, the primary one first.
   *
   * @default - unknown: refused is only what no cluster would take
   */
  readonly clusterFamilies?: readonly IpFamily[];
}
