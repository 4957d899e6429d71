import { RATE, type Panel } from './panel';
import { CLUSTERS_SILENT, growth, IDENTITY_SHARED, metric, NETBOX_DIFFERENCES, perSecond, REMOTE_AWAY } from './promql';

/** Panels about whom the operator asks and tells; empty where there is none of them. */
export const RELATED_SYSTEM_PANELS: readonly Panel[] = [
  {
    title: 'IPAM-API elsewhere',
    description:
      'Calls by result, whether it counts as away, what it was not told yet (leaving) or has not answered (asking), and checks whether it still knows what it gave',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      {
        expr: perSecond(metric('remote_calls_total'), RATE, ['operation', 'result']),
        legend: '{{operation}} {{result}}',
      },
      { expr: REMOTE_AWAY, legend: 'away' },
      { expr: `max by (phase) (${metric('remote_intents')})`, legend: '{{phase}}' },
      { expr: growth(metric('remote_checks_total'), RATE, ['result']), legend: 'checks {{result}}' },
      { expr: `max(${metric('remote_disputed')})`, legend: 'disputed' },
    ],
  },
  {
    title: 'Requests to NetBox',
    description: 'By result; limited means that NetBox asked for fewer',
    type: 'timeseries',
    unit: 'reqps',
    width: 12,
    queries: [
      { expr: perSecond(metric('netbox_requests_total'), RATE, ['method', 'result']), legend: '{{method}} {{result}}' },
    ],
  },
  {
    title: 'NetBox and the record',
    description:
      'Readings of its zones, prefixes that it was to get or lose, and what differed at the newest comparison',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      { expr: growth(metric('netbox_refreshes_total'), RATE, ['result']), legend: 'readings {{result}}' },
      { expr: growth(metric('netbox_changes_total'), RATE, ['change', 'result']), legend: '{{change}} {{result}}' },
      { expr: NETBOX_DIFFERENCES, legend: 'differs {{kind}}' },
    ],
  },
  {
    title: 'Clusters that are silent, gone or doubled',
    description:
      'Without a complete report for a quarter of an hour, events that name clusters which are gone, and whether another cluster goes by the identity of this one',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      { expr: CLUSTERS_SILENT, legend: 'silent' },
      { expr: IDENTITY_SHARED, legend: 'identity shared' },
      { expr: growth(metric('cleanup_events_total'), RATE, ['result']), legend: 'events {{result}}' },
      { expr: growth(metric('cleanup_connections_total'), RATE, ['result']), legend: 'connections {{result}}' },
    ],
  },
  {
    title: 'Log events for Splunk',
    description: 'Dropped and refused ones are on the standard output of the Pod alone',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      { expr: growth(metric('splunk_events_total'), RATE, ['result']), legend: 'events {{result}}' },
      { expr: growth(metric('splunk_failures_total'), RATE), legend: 'batches that failed' },
    ],
  },
];
