import type { AlertRow } from '../monitoring/alert';
import { growth, metric } from '../monitoring/promql';

/**
 * Lists the alerts about clean-up events and Splunk. Where one is not set up, its metrics are missing and nothing fires.
 *
 * @returns in a fixed order
 */
export function signalAlerts(): readonly AlertRow[] {
  const unread = growth(metric('cleanup_connections_total', 'result!="opened"'), '15m');
  const opened = growth(metric('cleanup_connections_total', 'result="opened"'), '15m');
  return [
    {
      alert: 'IpamCleanupEventsUnread',
      severity: 'warning',
      expr: `${unread} > 0 unless ${opened} > 0`,
      for: '15m',
      summary: 'The stream of clean-up events cannot be read',
      says: ['Claims of clusters that are gone stay until it can.', 'The log of the operator names the cause.'],
    },
    {
      alert: 'IpamCleanupEventsFail',
      severity: 'warning',
      expr: `${growth(metric('cleanup_events_total', 'result=~"malformed|failed"'), '15m', ['result'])} > 0`,
      for: '5m',
      summary: 'Clean-up events are not worked off: {{ $labels.result }}',
      says: ['Claims of a cluster that is gone may stay.', 'The log of the operator names event and cause.'],
    },
    {
      alert: 'IpamLogEventsLost',
      severity: 'warning',
      expr: `${growth(metric('splunk_events_total', 'result=~"refused|dropped"'), '15m', ['result'])} > 0`,
      for: '5m',
      summary: 'Splunk lacks log events of the operator: {{ $labels.result }}',
      says: ['They are on the standard output of the Pod.', 'The log of the operator names the cause.'],
    },
  ];
}
