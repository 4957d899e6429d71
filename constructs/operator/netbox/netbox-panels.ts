import { RATE, type Panel } from '../monitoring/panel';
import { growth, metric, NETBOX_DIFFERENCES, perSecond } from '../monitoring/promql';

/** Panels about NetBox; empty where there is none. */
export const NETBOX_PANELS: readonly Panel[] = [
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
];
