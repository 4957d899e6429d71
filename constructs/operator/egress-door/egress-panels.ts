import { RATE, type Panel } from '../monitoring/panel';
import { EGRESS_ADDRESSES, growth, metric, WAITING_EGRESS } from '../monitoring/promql';

/** Panels about egress addresses; empty where the door is off. */
export const EGRESS_PANELS: readonly Panel[] = [
  {
    title: 'Egress addresses',
    description: 'Addresses of each EgressIPAM by state',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [{ expr: EGRESS_ADDRESSES, legend: '{{egressipam}} {{state}}' }],
  },
  {
    title: 'Namespaces with egress addresses',
    description: 'Those that wait, and refusals',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      { expr: WAITING_EGRESS, legend: 'waiting {{reason}}' },
      { expr: growth(metric('egress_refusals_total'), RATE, ['reason']), legend: 'refused {{reason}}' },
    ],
  },
];
