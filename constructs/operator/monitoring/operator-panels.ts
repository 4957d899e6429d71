import { RATE, type Panel } from './panel';
import { growth, metric, perSecond, quantile } from './promql';

/** Panels about the operator itself. */
export const OPERATOR_PANELS: readonly Panel[] = [
  {
    title: 'Objects that wait for a look',
    description: 'A line that only grows is worked off too slowly',
    type: 'timeseries',
    unit: 'short',
    width: 8,
    queries: [{ expr: `max by (queue) (${metric('queue_depth')})`, legend: '{{queue}}' }],
  },
  {
    title: 'Time of one look',
    description: 'Slowest of a hundred, and looks that failed and come again',
    type: 'timeseries',
    unit: 's',
    width: 8,
    queries: [
      { expr: quantile(0.99, 'queue_work_seconds', ['queue']), legend: 'p99 {{queue}}' },
      { expr: growth(metric('queue_retries_total'), RATE, ['queue']), legend: 'retries {{queue}}' },
    ],
  },
  {
    title: 'Leaders',
    description: 'Replicas that lead by the Lease: one, or none where the lock on the store makes the leader',
    type: 'timeseries',
    unit: 'short',
    width: 8,
    queries: [{ expr: `sum(${metric('leading')})`, legend: 'leaders' }],
  },
  {
    title: 'Requests to the API server',
    description: 'By status, which is 0 when no answer came',
    type: 'timeseries',
    unit: 'reqps',
    width: 12,
    queries: [
      {
        expr: perSecond(metric('cluster_requests_total'), RATE, ['method', 'status']),
        legend: '{{method}} {{status}}',
      },
    ],
  },
  {
    title: 'Watches',
    description: 'Complete lists and ends of watches; many of them cost the API server dearly',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      {
        expr: growth(metric('watch_lists_total'), RATE, ['resource', 'result']),
        legend: 'lists {{resource}} {{result}}',
      },
      {
        expr: growth(metric('watch_ends_total'), RATE, ['resource', 'reason']),
        legend: 'ends {{resource}} {{reason}}',
      },
      { expr: growth(metric('watch_listener_failures_total'), RATE, ['resource']), legend: 'failures {{resource}}' },
    ],
  },
  {
    title: 'Reloads',
    description: 'Of the zone document and of the serving certificate',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      { expr: growth(metric('zones_reloads_total'), RATE, ['result']), legend: 'zones {{result}}' },
      { expr: growth(metric('certificate_reloads_total'), RATE, ['result']), legend: 'certificate {{result}}' },
    ],
  },
  {
    title: 'Connections that were cut',
    description: 'By the limit of a listener, or since no TLS handshake came; more than a few are an attack or a scan',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [{ expr: growth(metric('connections_cut_total'), RATE, ['reason']), legend: '{{reason}}' }],
  },
  {
    title: 'Bodies of requests in memory',
    description:
      'Of requests that are not answered yet, on the fullest Pod, by listener; beyond 24 MiB of large ones callers get 503',
    type: 'timeseries',
    unit: 'bytes',
    width: 12,
    queries: [{ expr: `max by (listener) (${metric('request_body_bytes')})`, legend: '{{listener}}' }],
  },
];
