import type { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { EGRESS_GROUP } from '../../../operator/contract/egress';
import {
  ANTREA_EGRESS,
  CILIUM_POLICY,
  CLOUD_PRIVATE_IP,
  CONFIG_MAP,
  CRD,
  crdName,
  DATAPLANE_CONFIGS,
  DATAPLANE_KINDS,
  EGRESS_IP,
  EXTERNAL_IP_POOL,
  HOST_SUBNET,
  NET_NAMESPACE,
  OPENSHIFT,
  type DataplaneKind,
  type EgressDataplaneName,
} from '../../../operator/contract/egress-dataplanes';
import { groupOf } from '../../../operator/contract/api-group';
import { IPAM_GROUP, OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { NAMES } from '../../objects/names';
import { API_SERVER_RULES, bindClusterRole, bindRole } from '../access/rights';
import { cloudOf } from './egress-cloud';
import type { EgressDoorOwner } from './egress-door-owner';

/** Rights of the Egress door, each with its reason. */
const RULES: readonly k8s.PolicyRule[] = [
  // its finalizer is put on and taken off; the spec belongs to users
  { apiGroups: [EGRESS_GROUP], resources: ['egressipams'], verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: [EGRESS_GROUP], resources: ['egressipams/status'], verbs: ['patch'] },
  // the record; a policy keeps everything else from writing it
  {
    apiGroups: [IPAM_GROUP],
    resources: ['addressclaims'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'delete'],
  },
  // what ends a claim is decided on an uncached read
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
  // one annotation of them is written, by the same request as a status; a policy allows no other change
  { apiGroups: [''], resources: ['namespaces/status'], verbs: ['patch'] },
  // their addresses are never given out
  { apiGroups: [''], resources: ['nodes', 'services'], verbs: ['list', 'watch'] },
  // networks of Pods and Services, of which an EgressIPAM gives nothing; these, and what follows, are asked for where they are served
  { apiGroups: ['networking.k8s.io'], resources: ['servicecidrs'], verbs: ['list', 'watch'] },
  // addresses of the API server and of ingress on OpenShift, and its networks
  {
    apiGroups: ['config.openshift.io'],
    resources: ['infrastructures', 'networks'],
    resourceNames: ['cluster'],
    verbs: ['list', 'watch'],
  },
  // whether a user may use an EgressIPAM
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'list', 'patch'] },
];

const rule = (
  { apiVersion, resource }: Pick<DataplaneKind, 'apiVersion' | 'resource'>,
  ...verbs: string[]
): k8s.PolicyRule => ({
  apiGroups: [groupOf(apiVersion)],
  resources: [resource],
  verbs,
});

// One label and some annotations, which make a node a carrier; a policy allows no other change.
const CARRIERS: k8s.PolicyRule = { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'patch'] };

/** Rights of each dataplane beside, each with its reason. */
const DATAPLANE_RULES: Readonly<Record<EgressDataplaneName, readonly k8s.PolicyRule[]>> = {
  'ovn-kubernetes': [rule(EGRESS_IP, 'get', 'list', 'watch', 'create', 'patch', 'delete'), CARRIERS],
  // the SDN makes and deletes both kinds
  'openshift-sdn': [
    rule(NET_NAMESPACE, 'get', 'list', 'watch', 'patch'),
    rule(HOST_SUBNET, 'get', 'list', 'watch', 'patch'),
  ],
  antrea: [
    ...[ANTREA_EGRESS, EXTERNAL_IP_POOL].map((kind) => rule(kind, 'get', 'list', 'watch', 'create', 'patch', 'delete')),
    CARRIERS,
  ],
  cilium: [rule(CILIUM_POLICY, 'get', 'list', 'watch', 'create', 'patch', 'delete')],
};

// How it is found out which of them the cluster has, by name, so that no other CRD can be read.
function detectionRules(dataplanes: readonly EgressDataplaneName[]): readonly k8s.PolicyRule[] {
  if (dataplanes.length === 0) return [];
  const kinds = dataplanes.flatMap((name) => Object.values(DATAPLANE_KINDS[name]).flat());
  const crds = [...new Set(kinds.map(crdName))];
  return [
    { ...rule(CRD, 'list', 'watch'), resourceNames: crds },
    {
      apiGroups: [groupOf(OPENSHIFT.network.apiVersion)],
      resources: [OPENSHIFT.network.resource, OPENSHIFT.infrastructure.resource],
      resourceNames: [OPENSHIFT.object],
      verbs: ['get'],
    },
    ...(kinds.includes(CLOUD_PRIVATE_IP) ? [rule(CLOUD_PRIVATE_IP, 'list', 'watch')] : []),
  ];
}

// the login in the cloud, by its name, so that no other Secret can be read
const cloudSecretRule = (secret: string): k8s.PolicyRule => ({
  apiGroups: [''],
  resources: ['secrets'],
  resourceNames: [secret],
  verbs: ['get'],
});

/** Rights of the Egress door. */
export class EgressAccess extends Construct {
  /**
   * Declares role and bindings.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - of the installation
   */
  constructor(scope: Construct, id: string, props: EgressDoorOwner) {
    super(scope, id);
    const { egress } = props;
    const { secret } = cloudOf(props) ?? {};
    const { egressRole: name, egressRoleBinding: binding } = NAMES;
    const dataplanes = egress?.dataplanes ?? [];
    const rules = [...RULES, ...dataplanes.flatMap((each) => DATAPLANE_RULES[each]), ...detectionRules(dataplanes)];
    bindClusterRole(this, { name, binding, rules });
    bindRole(this, { name, binding, namespace: 'default', rules: API_SERVER_RULES });
    for (const each of dataplanes) {
      const config = DATAPLANE_CONFIGS[each];
      if (config === undefined) continue;
      const rules = [{ ...rule(CONFIG_MAP, 'get'), resourceNames: [config.name] }];
      bindRole(new Construct(this, `Config-${each}`), { name, binding, namespace: config.namespace, rules });
    }
    if (secret !== undefined)
      bindRole(new Construct(this, 'CloudSecret'), {
        name,
        binding,
        namespace: OPERATOR_NAMESPACE,
        rules: [cloudSecretRule(secret)],
      });
  }
}
