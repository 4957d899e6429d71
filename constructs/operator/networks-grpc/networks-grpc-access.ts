import type { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { NETWORKS_GRPC_SERVICE, OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { NAMES } from '../../objects/names';
import { bindClusterRole, bindRole, REVIEW_RULES } from '../access/rights';

const SLICES = { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'] };

/** Rights to lead the Service to the Pod that serves, in the operator's namespace. */
const OWN_SLICES: readonly k8s.PolicyRule[] = [
  // nothing can limit the creation of objects to their names
  { ...SLICES, verbs: ['create'] },
  {
    ...SLICES,
    resourceNames: [4, 6].map((family) => `${NETWORKS_GRPC_SERVICE}-ipv${String(family)}`),
    verbs: ['get', 'update'],
  },
  // OpenShift asks for this right of whatever writes addresses of Pods
  { apiGroups: SLICES.apiGroups, resources: ['endpointslices/restricted'], verbs: ['create'] },
];

/** Rights of the gRPC API of networks. */
export class NetworksGrpcAccess extends Construct {
  /**
   * Declares roles and bindings.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   */
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const { networksGrpcRole: name, networksGrpcRoleBinding: binding } = NAMES;
    bindClusterRole(this, { name, binding, rules: REVIEW_RULES });
    bindRole(this, { name, binding, namespace: OPERATOR_NAMESPACE, rules: OWN_SLICES });
  }
}
