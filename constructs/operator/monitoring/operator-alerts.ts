import type { AlertRow } from './alert';
import { growth, metric } from './promql';

/**
 * Lists the alerts about the operator itself.
 *
 * @returns in a fixed order
 */
export function operatorAlerts(): readonly AlertRow[] {
  const failed = growth(metric('sweeps_total', 'result="failed"'), '15m');
  const completed = growth(metric('sweeps_total', 'result="completed"'), '15m');
  const refused = growth(metric('zones_reloads_total', 'result=~"invalid|unreadable"'), '1h');
  const taken = growth(metric('zones_reloads_total', 'result="ok"'), '1h');
  return [
    {
      alert: 'IpamReservationsStale',
      severity: 'warning',
      expr: `${failed} > 0 unless ${completed} > 0`,
      for: '15m',
      summary: 'Reservations are not given back',
      says: [
        'No sweep could read all Services, so reservations of Services that were never stored keep their addresses.',
        'The log of the operator names the cause ("sweep failed").',
      ],
    },
    {
      alert: 'IpamZonesRefused',
      severity: 'warning',
      expr: `${refused} > 0 unless ${taken} > 0`,
      for: '5m',
      summary: 'The zone document is not valid',
      says: ['The operator keeps the last good zones.', 'Its log names every problem of the document ("zone file").'],
    },
    {
      alert: 'IpamCertificateRefused',
      severity: 'warning',
      expr: `${growth(metric('certificate_reloads_total', 'result="kept_old"'), '1h')} > 0`,
      for: '5m',
      summary: 'The new serving certificate cannot be used',
      says: ['The operator serves the old one until it ends.', 'Look at Secret and Certificate of the webhooks.'],
    },
    {
      alert: 'IpamOperatorAbsent',
      severity: 'critical',
      expr: `absent(${metric('zone_addresses')})`,
      for: '10m',
      summary: 'The IPAM operator is not there',
      says: [
        'Prometheus reads no metrics of the operator.',
        'With whenUnavailable "deny" no LoadBalancer Service can be made meanwhile.',
      ],
    },
  ];
}
