import type { ZoneCatalogue } from '../../operator/contract/zones';
import type { IpFamily } from '../service/ipam-service-props';

/** Cluster and operator as {@link admissionOf} takes them. */
export interface AdmissionOptions {
  /**
   * Families of the cluster, the primary one first.
   *
   * @default ['IPv4', 'IPv6']
   */
  readonly clusterFamilies?: readonly IpFamily[];
  /**
   * Values of `spec.loadBalancerClass` that the operator handles.
   *
   * @default - only Services without a class
   */
  readonly loadBalancerClasses?: readonly string[];
  /**
   * Namespaces that the operator leaves out beside those that it always does.
   *
   * @default - none more
   */
  readonly excludedNamespaces?: readonly string[];
  /**
   * Labels of the Service's namespace, for zones that are not open to every one.
   *
   * @default - `kubernetes.io/metadata.name` alone, which the API server sets
   */
  readonly namespaceLabels?: Readonly<Record<string, string>>;
}

/** Options of {@link ipamProblems}. */
export interface IpamProblemsOptions extends AdmissionOptions {
  /**
   * Zones that Services are held against.
   *
   * @default - those of the operator in the same app, else only what needs no zones is checked
   */
  readonly zones?: ZoneCatalogue;
}
