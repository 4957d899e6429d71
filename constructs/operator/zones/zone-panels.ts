import type { Panel } from '../monitoring/panel';
import { FREE_ADDRESSES, metric, USED_ADDRESSES, USED_PERCENT } from '../monitoring/promql';

const ZONE_LEGEND = '{{zone}} {{family}}';

/** Panels about the addresses of the zones. */
export const ZONE_PANELS: readonly Panel[] = [
  {
    title: 'Zones in use',
    description: 'Share of the addresses that are held or in quarantine',
    type: 'bargauge',
    unit: 'percent',
    width: 12,
    queries: [{ expr: USED_PERCENT, legend: ZONE_LEGEND }],
  },
  {
    title: 'Free addresses',
    description: 'Addresses that may be given out',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [{ expr: FREE_ADDRESSES, legend: ZONE_LEGEND }],
  },
  {
    title: 'Addresses in use',
    description: 'Held or in quarantine',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [{ expr: USED_ADDRESSES, legend: ZONE_LEGEND }],
  },
  {
    title: 'Held addresses by state',
    description: 'Reserved for what is not stored yet, bound to what is, or retained for a holder that may come back',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [{ expr: `max by (zone, family, state) (${metric('zone_claims')})`, legend: `${ZONE_LEGEND} {{state}}` }],
  },
  {
    title: 'Quarantined addresses',
    description: 'Released a moment ago; only their former holder may have them',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      {
        expr: `max by (zone, family) (${metric('zone_addresses', 'state="quarantined"')})`,
        legend: ZONE_LEGEND,
      },
    ],
  },
];
