import type { AlertRow } from '../monitoring/alert';
import { growth, metric, NETBOX_DIFFERENCES } from '../monitoring/promql';

/**
 * Lists the alerts about NetBox. Where there is none, its metrics are missing and nothing fires.
 *
 * @returns in a fixed order
 */
export function netboxAlerts(): readonly AlertRow[] {
  const failed = growth(metric('netbox_refreshes_total', 'result="failed"'), '1h');
  const read = growth(metric('netbox_refreshes_total', 'result=~"ok|partial"'), '1h');
  return [
    {
      alert: 'IpamNetBoxUnread',
      severity: 'warning',
      expr: `${failed} > 0 unless ${read} > 0`,
      for: '15m',
      summary: 'The zones of NetBox cannot be read',
      says: [
        'The operator keeps the last good zones, and prefixes wait for their entry in NetBox.',
        'Its log names the cause ("NetBox").',
      ],
    },
    {
      alert: 'IpamNetBoxDiffers',
      severity: 'warning',
      expr: `${NETBOX_DIFFERENCES} > 0`,
      for: '60m',
      summary: '{{ $value }} prefixes differ between NetBox and the record: {{ $labels.kind }}',
      says: [
        'orphan: NetBox has a prefix of ours without a claim; missing: it lacks one;',
        'foreign: it has one of another owner on an address that we gave.',
        'The log of the operator names them.',
      ],
    },
  ];
}
