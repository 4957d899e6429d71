import { RATE, type Panel } from '../monitoring/panel';
import { CLUSTERS_SILENT, growth, IDENTITY_SHARED, IDENTITY_SILENT, metric } from '../monitoring/promql';

/** Panels about clusters that are gone and about Splunk; empty where nothing tells of them. */
export const SIGNAL_PANELS: readonly Panel[] = [
  {
    title: 'Clusters that are silent, gone or doubled',
    description:
      'Without a complete report for a quarter of an hour, events that name clusters which are gone, and whether another cluster goes by the identity of this one, or did',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      { expr: CLUSTERS_SILENT, legend: 'silent' },
      { expr: IDENTITY_SHARED, legend: 'identity shared' },
      { expr: IDENTITY_SILENT, legend: 'identity of a silent cluster' },
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
