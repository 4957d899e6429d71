import type { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { EGRESS_GROUP } from '../../../operator/contract/egress';
import { IPAM_GROUP } from '../../../operator/contract/group';
import { NAMES } from '../../objects/names';
import { API_SERVER_RULES, bindClusterRole, bindRole } from '../access/rights';

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
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
];

/** Rights of the Egress door. */
export class EgressAccess extends Construct {
  /**
   * Declares role and bindings.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   */
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const { egressRole: name, egressRoleBinding: binding } = NAMES;
    bindClusterRole(this, { name, binding, rules: RULES });
    bindRole(this, { name, binding, namespace: 'default', rules: API_SERVER_RULES });
  }
}
