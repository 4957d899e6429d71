import { RATE, type Panel } from '../monitoring/panel';
import {
  growth,
  KEPT_SERVICES,
  metric,
  perSecond,
  POOL_MISMATCHES,
  quantile,
  UNANNOUNCED_SERVICES,
  CONTESTED_SERVICES,
  WAITING_SERVICES,
} from '../monitoring/promql';

/** Panels about the reviews that the API server asks for. */
export const REVIEW_PANELS: readonly Panel[] = [
  {
    title: 'Reviews',
    description: 'Admission reviews by verdict and reason',
    type: 'timeseries',
    unit: 'reqps',
    width: 6,
    queries: [
      {
        expr: perSecond(metric('admission_requests_total'), RATE, ['verdict', 'reason']),
        legend: '{{verdict}} {{reason}}',
      },
    ],
  },
  {
    title: 'Time to answer a review',
    description: 'The API server waits for it at each write of a LoadBalancer Service',
    type: 'timeseries',
    unit: 's',
    width: 6,
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
    width: 6,
    queries: [{ expr: growth(metric('refusals_total'), RATE, ['reason']), legend: '{{reason}}' }],
  },
  {
    title: 'Reviews at their deadline',
    description: 'By the system that had not answered',
    type: 'timeseries',
    unit: 'short',
    width: 6,
    queries: [{ expr: growth(metric('admission_deadlines_total'), RATE, ['awaited']), legend: '{{awaited}}' }],
  },
];

/** Panels about the Services that are stored. */
export const SERVICE_PANELS: readonly Panel[] = [
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
    title: 'Services whose addresses nothing announces',
    description: 'Bound, and not in the status; the condition of each Service says what stands in the way',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [{ expr: UNANNOUNCED_SERVICES, legend: '{{zone}} {{reason}}' }],
  },
  {
    title: 'Services that show an address which the record does not grant them',
    description:
      'The load balancer announces it, so it is left alone and given out to no other Service; "ipam evict" ends it',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [{ expr: CONTESTED_SERVICES, legend: 'Services' }],
  },
  {
    title: 'Zones that differ from their MetalLB pool',
    description:
      'The pool of their name is missing, narrower than the zone, or wider; the log of the operator names the addresses',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [{ expr: POOL_MISMATCHES, legend: '{{zone}} {{kind}}' }],
  },
  {
    title: 'Services put right',
    description:
      'Keys that had been taken away, addresses in use that were not on record, and bindings that the leader was late with',
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
    title: 'In use without a claim',
    description: 'Addresses that the cluster shows, claims that meet them, and what does not count in spec.externalIPs',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      { expr: metric('occupied_addresses'), legend: '{{weight}}' },
      { expr: metric('claims_met'), legend: 'claims met' },
      { expr: metric('external_ips_ignored'), legend: 'ignored of {{namespace}}' },
    ],
  },
];
