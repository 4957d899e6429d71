/** One curve of a panel. */
export interface Curve {
  readonly expr: string;
  readonly legend: string;
}

/** One panel of the dashboard. */
export interface Panel {
  readonly title: string;
  readonly description: string;
  readonly type: 'timeseries' | 'bargauge' | 'stat';
  readonly unit: string;
  /** Columns of 24. */
  readonly width: 6 | 8 | 12 | 24;
  readonly queries: readonly Curve[];
}

/** The span that Grafana chooses by its step and by how often Prometheus reads. */
export const RATE = '$__rate_interval';
