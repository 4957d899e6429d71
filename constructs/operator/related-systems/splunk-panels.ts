import { RATE, type Panel } from '../monitoring/panel';
import { growth, metric } from '../monitoring/promql';

/** Panels about Splunk; empty where nothing tells of it. */
export const SPLUNK_PANELS: readonly Panel[] = [
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
