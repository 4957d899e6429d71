import type { ObjectIdentity } from './object-identity';

interface Scopes {
  readonly cluster?: readonly string[];
  readonly namespaced?: readonly string[];
}

/** Kinds by API group, of Kubernetes 1.28 to 1.36 and of what stands beside us; that of others is not known at synth. */
export const SCOPES: Readonly<Record<string, Scopes>> = {
  '': {
    cluster: ['Namespace', 'Node', 'PersistentVolume'],
    namespaced: [
      ...['ConfigMap', 'Endpoints', 'Event', 'LimitRange', 'PersistentVolumeClaim', 'Pod', 'PodTemplate'],
      ...['ReplicationController', 'ResourceQuota', 'Secret', 'Service', 'ServiceAccount'],
    ],
  },
  apps: { namespaced: ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'] },
  batch: { namespaced: ['CronJob', 'Job'] },
  autoscaling: { namespaced: ['HorizontalPodAutoscaler'] },
  policy: { namespaced: ['PodDisruptionBudget'] },
  'networking.k8s.io': {
    cluster: ['IngressClass', 'IPAddress', 'ServiceCIDR'],
    namespaced: ['Ingress', 'NetworkPolicy'],
  },
  'discovery.k8s.io': { namespaced: ['EndpointSlice'] },
  'coordination.k8s.io': { namespaced: ['Lease'] },
  'events.k8s.io': { namespaced: ['Event'] },
  'rbac.authorization.k8s.io': {
    cluster: ['ClusterRole', 'ClusterRoleBinding'],
    namespaced: ['Role', 'RoleBinding'],
  },
  'admissionregistration.k8s.io': {
    cluster: [
      ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
      ...['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
      ...['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'],
    ],
  },
  'apiextensions.k8s.io': { cluster: ['CustomResourceDefinition'] },
  'apiregistration.k8s.io': { cluster: ['APIService'] },
  'certificates.k8s.io': { cluster: ['CertificateSigningRequest', 'ClusterTrustBundle'] },
  'flowcontrol.apiserver.k8s.io': { cluster: ['FlowSchema', 'PriorityLevelConfiguration'] },
  'node.k8s.io': { cluster: ['RuntimeClass'] },
  'resource.k8s.io': {
    cluster: ['DeviceClass', 'ResourceSlice'],
    namespaced: ['ResourceClaim', 'ResourceClaimTemplate'],
  },
  'scheduling.k8s.io': { cluster: ['PriorityClass'] },
  'storage.k8s.io': {
    cluster: ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment', 'VolumeAttributesClass'],
    namespaced: ['CSIStorageCapacity'],
  },
  'cert-manager.io': { cluster: ['ClusterIssuer'], namespaced: ['Certificate', 'CertificateRequest', 'Issuer'] },
  'ipam.vitistack.io': { cluster: ['AddressClaim', 'AddressTable'] },
  'ipam.nephio.org': { namespaced: ['IPAllocation', 'IPPrefix', 'NetworkInstance'] },
  'redhatcop.redhat.io': { cluster: ['EgressIPAM'] },
  'paas.org': { cluster: ['IP', 'IPGroup'] },
  'metallb.io': {
    namespaced: [
      ...['BFDProfile', 'BGPAdvertisement', 'BGPPeer', 'Community', 'ConfigurationState'],
      ...['IPAddressPool', 'L2Advertisement', 'ServiceBGPStatus', 'ServiceL2Status'],
    ],
  },
  'monitoring.coreos.com': {
    namespaced: [
      ...['Alertmanager', 'AlertmanagerConfig', 'PodMonitor', 'Probe', 'Prometheus', 'PrometheusAgent'],
      ...['PrometheusRule', 'ScrapeConfig', 'ServiceMonitor', 'ThanosRuler'],
    ],
  },
};

/**
 * Tells whether objects of a kind stand in namespaces.
 *
 * @param identity - API group and kind
 * @returns undefined for kinds of which we know nothing
 */
export function scopeOf({ group, kind }: ObjectIdentity): 'cluster' | 'namespace' | undefined {
  const { cluster = [], namespaced = [] } = SCOPES[group] ?? {};
  if (cluster.includes(kind)) return 'cluster';
  return namespaced.includes(kind) ? 'namespace' : undefined;
}
