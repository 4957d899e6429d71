import type { ZoneProps } from '../operator/contract/zones';
import type { IpFamily } from './ipam-service-props';
import type { OperatorResources } from './operator-parts/deployment';
import type { OperatorImage } from './operator-parts/image';
import type { OperatorStorageProps } from './operator-parts/storage';

/** A zone, with what MetalLB is to do about it. */
export interface OperatorZone extends ZoneProps {
  /**
   * Who tells the network about the addresses: MetalLB by ARP and NDP (`l2`), or an advertisement of your own (`none`).
   *
   * @default 'l2'
   */
  readonly advertise?: 'l2' | 'none';
}

/** Settings of the Services front door. */
export interface ServicesDoorProps {
  /**
   * Zone of a Service that names none. Set, it makes every LoadBalancer Service without a class ours.
   *
   * @default - a Service that asks for nothing is left alone
   */
  readonly defaultZone?: string;
  /**
   * Values of `spec.loadBalancerClass` that are ours.
   *
   * @default - only Services without a class
   */
  readonly loadBalancerClasses?: readonly string[];
  /**
   * Namespaces whose Services never reach the webhooks, beside kube-system, our own and the others of
   * `EXCLUDED_NAMESPACES`.
   *
   * @default - none more
   */
  readonly excludedNamespaces?: readonly string[];
}

/** What an {@link IpamOperator} is made of. */
export interface IpamOperatorProps {
  /** Addresses that may be given out, at least one zone. */
  readonly zones: readonly OperatorZone[];
  /**
   * Settings of the Services front door.
   *
   * @default - every default of {@link ServicesDoorProps}
   */
  readonly services?: ServicesDoorProps;
  /**
   * What happens to a Service while no address can be given: `deny` refuses it, `admit` stores it without an address.
   *
   * @default 'deny'
   */
  readonly whenUnavailable?: 'deny' | 'admit';
  /**
   * Families of the cluster's Services, the primary one first. On a single-stack cluster the MetalLB pools hold that family
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
   * Pods. With the SQLite store there is one, since its file has one owner.
   *
   * @default 1
   */
  readonly replicas?: number;
  /**
   * Volume of the SQLite store.
   *
   * @default - 1Gi of the default storage class
   */
  readonly storage?: OperatorStorageProps;
  /**
   * CPU and memory.
   *
   * @default - every default of {@link OperatorResources}
   */
  readonly resources?: OperatorResources;
  /**
   * Priority class of the Pod; with policy `deny` Services cannot be made while it does not run.
   *
   * @default - none; `system-cluster-critical` is a good choice where the cluster allows it outside of kube-system
   */
  readonly priorityClassName?: string;
  /** @default 'info' */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
}
