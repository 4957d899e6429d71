import { RATE, type Panel } from '../monitoring/panel';
import {
  FREE_IN_PREFIXES,
  growth,
  metric,
  NETWORK_ENTRIES,
  USED_PREFIX_PERCENT,
  WAITING_NETWORKS,
} from '../monitoring/promql';

const LEGEND = '{{instance}} {{prefix}}';

/** Panels about prefixes and allocations of NetworkInstances; empty where the door is off. */
export const NETWORKS_PANELS: readonly Panel[] = [
  {
    title: 'Prefixes of networks in use',
    description: 'Share of the addresses that are held, without those that are excluded',
    type: 'bargauge',
    unit: 'percent',
    width: 8,
    queries: [{ expr: USED_PREFIX_PERCENT, legend: LEGEND }],
  },
  {
    title: 'Free addresses of prefixes',
    description: 'Addresses that may be given out, and entries on record of each instance',
    type: 'timeseries',
    unit: 'short',
    width: 8,
    queries: [
      { expr: FREE_IN_PREFIXES, legend: LEGEND },
      { expr: NETWORK_ENTRIES, legend: '{{instance}} entries' },
    ],
  },
  {
    title: 'Prefixes and allocations',
    description: 'Those that wait, refusals, and repairs of the record',
    type: 'timeseries',
    unit: 'short',
    width: 8,
    queries: [
      { expr: WAITING_NETWORKS, legend: 'waiting {{reason}}' },
      { expr: growth(metric('network_refusals_total'), RATE, ['reason']), legend: 'refused {{reason}}' },
      { expr: growth(metric('network_repairs_total'), RATE, ['kind']), legend: 'repaired {{kind}}' },
    ],
  },
];
