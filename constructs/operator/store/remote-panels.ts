import { RATE, type Panel } from '../monitoring/panel';
import { growth, metric, perSecond, REMOTE_AWAY } from '../monitoring/promql';

/** Panels about the IPAM-API elsewhere; empty where the store is another one. */
export const REMOTE_PANELS: readonly Panel[] = [
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
];
