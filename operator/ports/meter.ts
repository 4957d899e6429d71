/** Labels of one sample; every value comes from a bounded set. */
export type Labels = Readonly<Record<string, string>>;

/** Where numbers about the running operator go. Names are without prefix; the adapter adds `ipam_`. */
export interface Meter {
  /** Adds to a counter, 1 by default. */
  count(name: MetricName, labels?: Labels, by?: number): void;
  /** Records one duration in seconds. */
  observe(name: MetricName, seconds: number, labels?: Labels): void;
  /** Sets a gauge. */
  set(name: MetricName, value: number, labels?: Labels): void;
}

/** Every metric of the product, once. */
export type MetricName = keyof typeof METRICS;

/** Kind, labels and help of each metric; the exposition and the docs are made from it. */
export const METRICS = {
  admission_requests_total: { kind: 'counter', labels: ['path', 'operation', 'verdict', 'reason'], help: 'Admission reviews answered' },
  admission_duration_seconds: { kind: 'histogram', labels: ['path'], help: 'Time to answer an admission review' },
  api_requests_total: { kind: 'counter', labels: ['route', 'method', 'status'], help: 'IPAM-API requests answered' },
  api_duration_seconds: { kind: 'histogram', labels: ['route', 'method'], help: 'Time to answer an IPAM-API request' },
  refusals_total: { kind: 'counter', labels: ['reason'], help: 'Refusals by bounded reason' },
  zone_addresses: { kind: 'gauge', labels: ['zone', 'family', 'state'], help: 'Addresses of a zone by state (held, quarantined, free)' },
  store_commits_total: { kind: 'counter', labels: [], help: 'Transactions committed by the store' },
  store_batch_size: { kind: 'histogram', labels: [], help: 'Operations in one transaction' },
  reservations_swept_total: { kind: 'counter', labels: [], help: 'Reservations that came back by the sweep' },
  certificate_reloads_total: { kind: 'counter', labels: ['result'], help: 'Serving certificate reloads' },
  zones_reloads_total: { kind: 'counter', labels: ['result'], help: 'Zone document reloads' },
} as const;
