import { RATE, type Panel } from '../monitoring/panel';
import { metric, perSecond, quantile } from '../monitoring/promql';

/** Panels about the requests of other clusters. */
export const IPAM_API_PANELS: readonly Panel[] = [
  {
    title: 'IPAM-API requests',
    description: 'By route and status',
    type: 'timeseries',
    unit: 'reqps',
    width: 12,
    queries: [
      { expr: perSecond(metric('api_requests_total'), RATE, ['route', 'status']), legend: '{{route}} {{status}}' },
    ],
  },
  {
    title: 'Time to answer an IPAM-API request',
    description: 'Slowest of a hundred',
    type: 'timeseries',
    unit: 's',
    width: 12,
    queries: [{ expr: quantile(0.99, 'api_duration_seconds', ['route']), legend: '{{route}}' }],
  },
];
