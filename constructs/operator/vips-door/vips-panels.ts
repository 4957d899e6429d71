import { RATE, type Panel } from '../monitoring/panel';
import {
  FREE_VIPS,
  growth,
  metric,
  MIGRATIONS,
  UNREADY_GROUPS,
  USED_VIPS_PERCENT,
  WAITING_VIPS,
} from '../monitoring/promql';

const LEGEND = '{{group}} {{family}}';

/** Panels about IPGroups and the Services that they serve; empty where the door is off. */
export const VIPS_PANELS: readonly Panel[] = [
  {
    title: 'IPGroups in use',
    description: 'Share of the addresses that are held, in quarantine or shown by others',
    type: 'bargauge',
    unit: 'percent',
    width: 8,
    queries: [{ expr: USED_VIPS_PERCENT, legend: LEGEND }],
  },
  {
    title: 'Free addresses of IPGroups',
    description: 'Addresses that may be given out, and groups that do not give what their spec says',
    type: 'timeseries',
    unit: 'short',
    width: 8,
    queries: [
      { expr: FREE_VIPS, legend: LEGEND },
      { expr: UNREADY_GROUPS, legend: 'not ready {{reason}}' },
    ],
  },
  {
    title: 'Services of IPGroups',
    description: 'Those that wait, refusals, and repairs of the record',
    type: 'timeseries',
    unit: 'short',
    width: 8,
    queries: [
      { expr: WAITING_VIPS, legend: 'waiting {{reason}}' },
      { expr: growth(metric('vip_refusals_total'), RATE, ['reason']), legend: 'refused {{reason}}' },
      { expr: growth(metric('vip_repairs_total'), RATE, ['kind']), legend: 'repaired {{kind}}' },
    ],
  },
  {
    title: 'Migration of VirtualIPs',
    description: 'VirtualIPs of the older operator by how far their migration is; empty where it is off',
    type: 'timeseries',
    unit: 'short',
    width: 8,
    queries: [{ expr: MIGRATIONS, legend: '{{stage}}' }],
  },
];
