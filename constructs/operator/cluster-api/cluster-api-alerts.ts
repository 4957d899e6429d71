import type { AlertRow } from '../monitoring/alert';
import { WAITING_CLAIMS } from '../monitoring/promql';

/**
 * Lists the alerts about address claims of Cluster API.
 *
 * @returns that of claims that wait
 */
export function clusterApiAlerts(): readonly AlertRow[] {
  return [
    {
      alert: 'IpamAddressClaimsWait',
      severity: 'warning',
      expr: `${WAITING_CLAIMS} > 0`,
      for: '15m',
      summary: '{{ $value }} IPAddressClaims wait: {{ $labels.reason }}',
      says: [
        'Machines wait for their addresses.',
        'ipam doctor lists the claims, and their condition Ready says what would help.',
      ],
    },
  ];
}
