import { LEASE, OPERATOR_NAMESPACE } from '../../../operator/contract/group';

/** Lease of the operator that leads. */
export const LEASE_PATH = `/apis/coordination.k8s.io/v1/namespaces/${OPERATOR_NAMESPACE}/leases/${LEASE}`;
