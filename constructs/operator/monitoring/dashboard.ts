import { RELATED_SYSTEM_PANELS } from './related-system-panels';
import { RATE, type Panel } from './panel';
import {
  FREE_ADDRESSES,
  growth,
  KEPT_SERVICES,
  metric,
  perSecond,
  quantile,
  USED_ADDRESSES,
  USED_PERCENT,
  WAITING_SERVICES,
} from './promql';

const ZONE_LEGEND = '{{zone}} {{family}}';

const OWN_PANELS: readonly Panel[] = [
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
  {
    title: 'Reviews',
    description: 'Admission reviews by verdict and reason',
    type: 'timeseries',
    unit: 'reqps',
    width: 8,
    queries: [
      {
        expr: perSecond(metric('admission_requests_total'), RATE, ['verdict', 'reason']),
        legend: '{{verdict}} {{reason}}',
      },
    ],
  },
  {
    title: 'Time to answer a review',
    description: 'The API server waits for it whenever somebody writes a LoadBalancer Service',
    type: 'timeseries',
    unit: 's',
    width: 8,
    queries: [0.5, 0.99].map((share) => ({
      expr: quantile(share, 'admission_duration_seconds', ['path']),
      legend: `p${100 * share} {{path}}`,
    })),
  },
  {
    title: 'Refusals',
    description: 'By reason; the table of errors explains each',
    type: 'timeseries',
    unit: 'short',
    width: 8,
    queries: [{ expr: growth(metric('refusals_total'), RATE, ['reason']), legend: '{{reason}}' }],
  },
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
  {
    title: 'Store',
    description: 'Transactions, and operations in one of them',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      { expr: perSecond(metric('store_groups_total'), RATE, []), legend: 'groups per second' },
      { expr: quantile(0.5, 'store_group_size'), legend: 'requests in one, p50' },
    ],
  },
  {
    title: 'Reservations given back',
    description: 'Of Services that were never stored; sweeps that fail keep them',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      { expr: growth(metric('reservations_swept_total'), RATE), legend: 'given back' },
      { expr: growth(metric('sweeps_total', 'result="failed"'), RATE), legend: 'failed sweeps' },
    ],
  },
  {
    title: 'Services that wait for an address',
    description: 'Stored without one, by reason; the condition of each Service tells more',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [{ expr: WAITING_SERVICES, legend: '{{reason}}' }],
  },
  {
    title: 'Services that keep what their zone would not give today',
    description: 'Their zone shrank, went away or was closed to their namespace; their conditions name the addresses',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [{ expr: KEPT_SERVICES, legend: '{{zone}} {{reason}}' }],
  },
  {
    title: 'Services put right',
    description:
      'Keys that somebody had taken away, addresses in use that were not on record, and bindings that the leader was late with',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      { expr: growth(metric('service_repairs_total'), RATE), legend: 'keys put back' },
      { expr: growth(metric('services_adopted_total'), RATE, ['result']), legend: 'addresses {{result}}' },
      { expr: growth(metric('late_bindings_total'), RATE, ['by']), legend: 'bound late by {{by}}' },
    ],
  },
  {
    title: 'Objects that wait for a look',
    description: 'A line that only grows is worked off too slowly',
    type: 'timeseries',
    unit: 'short',
    width: 8,
    queries: [{ expr: `max by (queue) (${metric('queue_depth')})`, legend: '{{queue}}' }],
  },
  {
    title: 'Time of one look',
    description: 'Slowest of a hundred, and looks that failed and come again',
    type: 'timeseries',
    unit: 's',
    width: 8,
    queries: [
      { expr: quantile(0.99, 'queue_work_seconds', ['queue']), legend: 'p99 {{queue}}' },
      { expr: growth(metric('queue_retries_total'), RATE, ['queue']), legend: 'retries {{queue}}' },
    ],
  },
  {
    title: 'Leaders',
    description: 'Replicas that lead by the Lease: one, or none where the lock on the store makes the leader',
    type: 'timeseries',
    unit: 'short',
    width: 8,
    queries: [{ expr: `sum(${metric('leading')})`, legend: 'leaders' }],
  },
  {
    title: 'Requests to the API server',
    description: 'By status, which is 0 when no answer came',
    type: 'timeseries',
    unit: 'reqps',
    width: 12,
    queries: [
      {
        expr: perSecond(metric('cluster_requests_total'), RATE, ['method', 'status']),
        legend: '{{method}} {{status}}',
      },
    ],
  },
  {
    title: 'Watches',
    description: 'Complete lists and ends of watches; many of them cost the API server dearly',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      {
        expr: growth(metric('watch_lists_total'), RATE, ['resource', 'result']),
        legend: 'lists {{resource}} {{result}}',
      },
      {
        expr: growth(metric('watch_ends_total'), RATE, ['resource', 'reason']),
        legend: 'ends {{resource}} {{reason}}',
      },
      { expr: growth(metric('watch_listener_failures_total'), RATE, ['resource']), legend: 'failures {{resource}}' },
    ],
  },
  {
    title: 'Reloads',
    description: 'Of the zone document and of the serving certificate',
    type: 'timeseries',
    unit: 'short',
    width: 24,
    queries: [
      { expr: growth(metric('zones_reloads_total'), RATE, ['result']), legend: 'zones {{result}}' },
      { expr: growth(metric('certificate_reloads_total'), RATE, ['result']), legend: 'certificate {{result}}' },
    ],
  },
];
const PANELS: readonly Panel[] = [...OWN_PANELS, ...RELATED_SYSTEM_PANELS];

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' } as const;
const COLUMNS = 24;
const HEIGHT = 8;

// Panels stand in rows of 24 columns, in the order of the list.
function places(): readonly { x: number; y: number }[] {
  let [x, y] = [0, 0];
  return PANELS.map(({ width }) => {
    if (x + width > COLUMNS) [x, y] = [0, y + HEIGHT];
    const place = { x, y };
    x += width;
    return place;
  });
}

function panelModel({ title, description, type, unit, width, queries }: Panel, place: object, id: number): object {
  return {
    id,
    title,
    description,
    type,
    datasource: DATASOURCE,
    gridPos: { ...place, w: width, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0, ...(unit === 'percent' ? { max: 100 } : {}) }, overrides: [] },
    targets: queries.map(({ expr, legend }, i) => ({
      refId: String.fromCharCode(65 + i),
      expr,
      legendFormat: legend,
      datasource: DATASOURCE,
      instant: type !== 'timeseries',
      range: type === 'timeseries',
    })),
  };
}

/**
 * Writes the Grafana dashboard.
 *
 * @returns the JSON that Grafana imports
 */
export function dashboardJson(): string {
  const at = places();
  const model = {
    uid: 'ipam-operator',
    title: 'IPAM operator',
    tags: ['ipam', 'kubernetes'],
    schemaVersion: 39,
    editable: true,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', current: {}, hide: 0 },
      ],
    },
    panels: PANELS.map((panel, i) => panelModel(panel, at[i] ?? {}, i + 1)),
  };
  return `${JSON.stringify(model, undefined, 2)}\n`;
}
