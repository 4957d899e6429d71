// Args that are read while the objects are made: they decide which objects there are and what their resources are called, are parsed, or
// are calculated with. Each list is the type of its component and the check of what JavaScript and other languages hand in. A path through a list leaves its index out.

/** Args of an operator that are never Outputs. */
export const LITERAL_OPERATOR_ARGS = [
  'zones',
  'clusterFamilies',
  'whenUnavailable',
  'zonePools',
  'certificates',
  'platform',
  'createNamespace',
  'replicas',
  'cluster',
  'services.enabled',
  'services.defaultZone',
  'services.loadBalancerClasses',
  'store.postgres.port',
  'store.remote.url',
  'netbox.url',
  'cleanupEvents.url',
  'splunk.url',
  'ipamApi.expose.port',
  'networkPolicy.enabled',
  'networkPolicy.apiServerPorts',
  'settings.shutdownDelaySeconds',
  'crds.install',
  'crds.keep',
  'monitoring.prometheusRule.nearlyFullPercent',
  'extraObjects.apiVersion',
  'extraObjects.kind',
  'extraObjects.metadata.name',
  'extraObjects.metadata.namespace',
  'extraEnv.name',
] as const;

/** Args of a Service that are never Outputs. */
export const LITERAL_SERVICE_ARGS = [
  'name',
  'zone',
  'zones',
  'cluster',
  'clusterFamilies',
  'addresses',
  'ipFamily',
  'ipFamilies',
  'ipFamilyPolicy',
  'retentionPeriodDays',
  'denyExternalCleanup',
  'generatedSecret.file',
  'joins',
] as const;

/** Args of a pool that are never Outputs: they are compared with the zones and the other pools of the program. */
export const LITERAL_POOL_ARGS = ['name', 'namespace', 'addresses', 'cluster', 'advertise', 'l2', 'bgp'] as const;

/** Args of a claim that are never Outputs: its name is made of network and address. */
export const LITERAL_CLAIM_ARGS = ['spec', 'cluster'] as const;

/** Args of a group that are never Outputs: they are compared with the other groups of the program. */
export const LITERAL_GROUP_ARGS = ['name', 'spec', 'cluster'] as const;

/** Args of an EgressIPAM that are never Outputs: they are compared with the other EgressIPAMs of the program. */
export const LITERAL_EGRESS_ARGS = ['name', 'spec', 'cluster'] as const;

/** Args of a Namespace with egress addresses that are never Outputs: they are compared with the EgressIPAMs of the program. */
export const LITERAL_EGRESS_NAMESPACE_ARGS = ['name', 'egressIpam', 'addresses', 'allowReserved', 'cluster'] as const;

/** Args of a NetworkInstance that are never Outputs: the prefixes of the program refer to it. */
export const LITERAL_INSTANCE_ARGS = ['name', 'namespace', 'parents', 'cluster'] as const;

/** Args of a prefix that are never Outputs: they are compared with the other prefixes of the program. */
export const LITERAL_PREFIX_ARGS = ['name', 'namespace', 'spec', 'cluster'] as const;

/** Args of an allocation that are never Outputs: they are compared with the prefixes of the program. */
export const LITERAL_ALLOCATION_ARGS = ['name', 'namespace', 'spec', 'families', 'cluster'] as const;

/** Args of an address plan that are never Outputs: its lines become names and prefixes. */
export const LITERAL_PLAN_ARGS = ['instance', 'createInstance', 'namespace', 'prefixes', 'cluster'] as const;

/** Args of a Service of the VIPs door that are never Outputs: they are compared with the groups and Services of the program. */
export const LITERAL_VIP_ARGS = [
  'name',
  'ports',
  'group',
  'addresses',
  'sharingKey',
  'loadBalancerClass',
  'classless',
  'cluster',
] as const;
