import type { IpFamily } from '../service/ipam-service-props';
import type { CleanupEventsProps } from './cleanup-events/cleanup-events-props';
import type { ClusterApiProps } from './cluster-api/cluster-api-props';
import type { CrdsProps } from './crds/crds-props';
import type { Manifest } from './extra-objects/extra-objects';
import type { IpamApiProps } from './ipam-api/ipam-api-props';
import type { MonitoringProps } from './monitoring/monitoring-props';
import type { NetBoxProps } from './netbox/netbox-props';
import type { OperatorNetworkPolicyProps } from './network/network-policy-props';
import type { EgressDoorProps } from './egress-door/egress-door-props';
import type { NetworksDoorProps } from './networks-door/networks-door-props';
import type { OperatorImage } from './pod/image';
import type { OperatorPodProps } from './pod/pod-props';
import type { SplunkProps } from './related-systems/splunk-props';
import type { ServicesDoorProps } from './services-door/services-door-props';
import type { OperatorSettingsProps } from './settings/settings-props';
import type { OperatorStoreProps } from './store/store-props';
import type { VipsDoorProps } from './vips-door/vips-door-props';
import type { OperatorZone, ZonePoolsProps } from './zones/zone-pools-props';

/** Props of an {@link IpamOperator}. */
export interface IpamOperatorProps extends OperatorPodProps, ZonePoolsProps {
  /**
   * Addresses that may be given out, at least one zone.
   *
   * @default - none, which is possible without the Services door and the IPAM-API
   */
  readonly zones?: readonly OperatorZone[];
  /**
   * Settings of the Services front door.
   *
   * @default - every default of {@link ServicesDoorProps}
   */
  readonly services?: ServicesDoorProps;
  /**
   * Settings of the VIPs front door.
   *
   * @default - it is off
   */
  readonly vips?: VipsDoorProps;
  /**
   * Settings of the Cluster API front door.
   *
   * @default - it is off
   */
  readonly clusterApi?: ClusterApiProps;
  /**
   * Settings of the Networks front door.
   *
   * @default - it is off
   */
  readonly networks?: NetworksDoorProps;
  /**
   * Settings of the Egress front door.
   *
   * @default - it is off
   */
  readonly egress?: EgressDoorProps;
  /**
   * Treatment of a Service while no address can be given: `deny` refuses it, `admit` stores it without an address and needs
   * `zonePools: 'claims'`.
   *
   * @default 'deny'
   */
  readonly whenUnavailable?: 'deny' | 'admit';
  /**
   * Families of the cluster's Services as Kubernetes spells them, the primary one first. On a single-stack cluster the MetalLB pools hold that family
   * only, since MetalLB loops where a Service prefers two families and a pool offers the one that the cluster lacks.
   *
   * @default ['IPv4', 'IPv6']
   */
  readonly clusterFamilies?: readonly IpFamily[];
  /**
   * Image of the operator.
   *
   * @default - `cdk8s-ipam` in the version of this package, from the runtime's default registry
   */
  readonly image?: OperatorImage;
  /**
   * Where claims are kept: `sqlite`, `postgres` or `remote`, or `objects` of the cluster for the VIPs and Networks doors alone.
   *
   * @default - SQLite on a volume of 1Gi; with the VIPs and Networks doors alone and no zones, objects
   */
  readonly store?: OperatorStoreProps;
  /**
   * A NetBox whose zones are served, and which is told what is in use.
   *
   * @default - none
   */
  readonly netbox?: NetBoxProps;
  /**
   * A stream of events that end the claims of clusters which are gone.
   *
   * @default - none
   */
  readonly cleanupEvents?: CleanupEventsProps;
  /**
   * A Splunk that gets the log as well.
   *
   * @default - none
   */
  readonly splunk?: SplunkProps;
  /**
   * Pods: 1 with SQLite, whose file has one owner; 2 or more with PostgreSQL; 1 or more with a remote IPAM-API or objects.
   *
   * @default - 1 with SQLite, else 2
   */
  readonly replicas?: number;
  /**
   * Issuer of the certificate of the webhooks: cert-manager, or the operator itself, which then also puts its CA into the
   * webhook configurations.
   *
   * @default 'cert-manager'
   */
  readonly certificates?: 'cert-manager' | 'self-managed';
  /**
   * The IPAM-API for other clusters.
   *
   * @default - it does not listen
   */
  readonly ipamApi?: IpamApiProps;
  /**
   * Connections that the network lets in and out of the Pods.
   *
   * @default - every default of {@link OperatorNetworkPolicyProps}
   */
  readonly networkPolicy?: OperatorNetworkPolicyProps;
  /**
   * On `openshift` the platform chooses users and groups of the Pods, and the namespace asks to be monitored.
   *
   * @default 'kubernetes'
   */
  readonly platform?: 'kubernetes' | 'openshift';
  /**
   * Whether the namespace `ipam-system` is made. Where it is not, it has to be there, and admit the Pods.
   *
   * @default true
   */
  readonly createNamespace?: boolean;
  /**
   * Times and limits.
   *
   * @default - every default of {@link OperatorSettingsProps}
   */
  readonly settings?: OperatorSettingsProps;
  /**
   * The kinds that the operator brings.
   *
   * @default - every default of {@link CrdsProps}: installed, and kept when the operator is uninstalled
   */
  readonly crds?: CrdsProps;
  /**
   * Parts for Prometheus and Grafana.
   *
   * @default - none
   */
  readonly monitoring?: MonitoringProps;
  /**
   * Objects of your own to be installed with the operator, as YAML would say them; webhook configurations come last. A namespaced
   * one names its namespace, a cluster-scoped one none, and none is an object of the operator itself. A `caBundle` is left out
   * where a webhook, an API service or a conversion has one injected.
   *
   * @default - none
   */
  readonly extraObjects?: readonly Manifest[];
  /**
   * Least severe level that is logged.
   *
   * @default 'info'
   */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
}
