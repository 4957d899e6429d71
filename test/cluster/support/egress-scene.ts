import { ADDRESS_CLAIM } from '../../../operator/contract/kinds/address-claim';
import { EGRESS_IPAM } from '../../../operator/contract/kinds/egress-ipam';

/** Paths of the objects of the Egress door. */
export const IPAMS = `/apis/${EGRESS_IPAM.group}/${EGRESS_IPAM.version}/${EGRESS_IPAM.plural}`;
export const CLAIMS = `/apis/${ADDRESS_CLAIM.group}/${ADDRESS_CLAIM.version}/${ADDRESS_CLAIM.plural}`;
export const [NAMESPACES, NODES] = ['/api/v1/namespaces', '/api/v1/nodes'];

/** CIDRs of two groups of nodes. */
export const A = { CIDR: '10.0.0.0/28', labelValue: 'a' };
export const B = { CIDR: '10.0.1.0/28', labelValue: 'b' };

/** Status of a node that is ready, which nothing else says here. */
export const READY = {
  status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
};
