import { groupOf, OPENSHIFT_CONFIG } from './api-group';

/** Dataplanes that the operator drives, as `spec.dataplane` and the settings name them. */
export const EGRESS_DATAPLANES = ['openshift-sdn', 'ovn-kubernetes'] as const;

/** One of {@link EGRESS_DATAPLANES}. */
export type EgressDataplaneName = (typeof EGRESS_DATAPLANES)[number];

/** A kind of a CRD that others than the operator define. */
export interface DataplaneKind {
  /** For example `k8s.ovn.org/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Plural name in lower case. */
  readonly resource: string;
}

/** The object by which OVN-Kubernetes sends traffic from addresses. */
export const EGRESS_IP: DataplaneKind = { apiVersion: 'k8s.ovn.org/v1', kind: 'EgressIP', resource: 'egressips' };

/** Label of nodes that OVN-Kubernetes puts addresses on; its presence counts. */
export const EGRESS_ASSIGNABLE = 'k8s.ovn.org/egress-assignable';

/** The object by which OpenShift attaches an address to a machine of a cloud. Only the dataplane writes it. */
export const CLOUD_PRIVATE_IP: DataplaneKind = {
  apiVersion: 'cloud.network.openshift.io/v1',
  kind: 'CloudPrivateIPConfig',
  resource: 'cloudprivateipconfigs',
};

const OPENSHIFT_SDN = 'network.openshift.io/v1';

/** The object by which OpenShift SDN knows a namespace; the SDN makes and deletes it. */
export const NET_NAMESPACE: DataplaneKind = {
  apiVersion: OPENSHIFT_SDN,
  kind: 'NetNamespace',
  resource: 'netnamespaces',
};

/** The object by which OpenShift SDN knows a node; the SDN makes and deletes it. */
export const HOST_SUBNET: DataplaneKind = {
  apiVersion: OPENSHIFT_SDN,
  kind: 'HostSubnet',
  resource: 'hostsubnets',
};

/** Kinds of OpenShift, of which the one object says what the cluster is. */
export const OPENSHIFT = {
  object: 'cluster',
  network: { apiVersion: OPENSHIFT_CONFIG, kind: 'Network', resource: 'networks' },
  infrastructure: { apiVersion: OPENSHIFT_CONFIG, kind: 'Infrastructure', resource: 'infrastructures' },
} as const;

/** Kinds of each dataplane: those without which it is not there, and those that are read where they are served. */
export const DATAPLANE_KINDS: Readonly<
  Record<EgressDataplaneName, Readonly<Record<'needed' | 'optional', readonly DataplaneKind[]>>>
> = {
  'openshift-sdn': { needed: [HOST_SUBNET, NET_NAMESPACE], optional: [CLOUD_PRIVATE_IP] },
  'ovn-kubernetes': { needed: [EGRESS_IP], optional: [CLOUD_PRIVATE_IP] },
};

/** The kind of CRDs. */
export const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  resource: 'customresourcedefinitions',
} as const;

/**
 * Names the CRD of a kind.
 *
 * @param kind - of a dataplane
 * @returns the name of the CustomResourceDefinition
 */
export const crdName = ({ apiVersion, resource }: DataplaneKind): string => `${resource}.${groupOf(apiVersion)}`;
