import type { AlertRow } from '../monitoring/alert';
import { EGRESS_NODE_PERCENT, EXHAUSTED_EGRESS, UNPLACED_EGRESS, WAITING_EGRESS } from '../monitoring/promql';

/**
 * Lists the alerts about egress addresses of Namespaces.
 *
 * @returns that of full CIDRs first
 */
export const egressAlerts = (): readonly AlertRow[] => [
  {
    alert: 'IpamEgressExhausted',
    severity: 'critical',
    expr: `${EXHAUSTED_EGRESS} > 0`,
    for: '5m',
    summary: '{{ $value }} Namespaces find no free egress address',
    says: [
      'A CIDR of their EgressIPAM is full; the status of the EgressIPAM names the Namespaces.',
      'Give the EgressIPAM a larger CIDR, or take namespaces out.',
    ],
  },
  {
    alert: 'IpamEgressNamespacesWait',
    severity: 'warning',
    expr: `${WAITING_EGRESS} > 0`,
    for: '15m',
    summary: '{{ $value }} Namespaces wait for egress addresses: {{ $labels.reason }}',
    says: ['An Event of each Namespace and the status of its EgressIPAM say what would help.'],
  },
  {
    alert: 'IpamEgressUnplaced',
    severity: 'critical',
    expr: `${UNPLACED_EGRESS} > 0`,
    for: '5m',
    summary: '{{ $value }} egress addresses of {{ $labels.egressipam }} are on no usable node: {{ $labels.cidr }}',
    says: [
      'Traffic of their Namespaces leaves by other addresses of theirs, or not at all.',
      'The status of the EgressIPAM says why; give the CIDR more nodes that are ready and have room.',
    ],
  },
  {
    alert: 'HighEgressIPUtilization',
    severity: 'warning',
    expr: `${EGRESS_NODE_PERCENT} > 80 <= 95`,
    for: '10m',
    summary: 'Node {{ $labels.node }} carries {{ $value }} % of the addresses that it can carry',
    says: ['Give the CIDRs that it serves another node, before addresses find none.'],
  },
  {
    alert: 'ExtremelyHighEgressIPUtilization',
    severity: 'critical',
    expr: `${EGRESS_NODE_PERCENT} > 95`,
    for: '5m',
    summary: 'Node {{ $labels.node }} carries {{ $value }} % of the addresses that it can carry',
    says: ['Give the CIDRs that it serves another node; addresses of a node that fails may find none.'],
  },
];
