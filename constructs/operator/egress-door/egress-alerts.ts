import type { AlertRow } from '../monitoring/alert';
import { EXHAUSTED_EGRESS, WAITING_EGRESS } from '../monitoring/promql';

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
];
