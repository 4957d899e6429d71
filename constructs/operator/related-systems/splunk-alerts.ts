import type { AlertRow } from '../monitoring/alert';
import { growth, metric } from '../monitoring/promql';

/** Alerts about Splunk. Where it is not set up, its metrics are missing and nothing fires. */
export const SPLUNK_ALERTS: readonly AlertRow[] = [
  {
    alert: 'IpamLogEventsLost',
    severity: 'warning',
    expr: `${growth(metric('splunk_events_total', 'result=~"refused|dropped"'), '15m', ['result'])} > 0`,
    for: '5m',
    summary: 'Splunk lacks log events of the operator: {{ $labels.result }}',
    says: ['They are on the standard output of the Pod.', 'The log of the operator names the cause.'],
  },
];
