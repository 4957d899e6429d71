import type { AlertRow } from '../monitoring/alert';
import { growth, metric } from '../monitoring/promql';

const UNREAD = growth(metric('cleanup_connections_total', 'result!="opened"'), '15m');
const OPENED = growth(metric('cleanup_connections_total', 'result="opened"'), '15m');

/** Alerts about clean-up events. Where there is no stream, its metrics are missing and nothing fires. */
export const CLEANUP_EVENTS_ALERTS: readonly AlertRow[] = [
  {
    alert: 'IpamCleanupEventsUnread',
    severity: 'warning',
    expr: `${UNREAD} > 0 unless ${OPENED} > 0`,
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
];
