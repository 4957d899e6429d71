import { exposedName, METRICS } from '../contract/metrics';

export { exposedName, METRICS };

/** Labels of one sample; every value comes from a bounded set. */
export type Labels = Readonly<Record<string, string>>;

/** Where numbers about the running operator go. Names are without prefix; the adapter adds it. */
export interface Meter {
  /** Adds to a counter, 1 by default. */
  count(name: MetricName, labels?: Labels, by?: number): void;
  /** Records one duration in seconds. */
  observe(name: MetricName, seconds: number, labels?: Labels): void;
  /** Sets a gauge. */
  set(name: MetricName, value: number, labels?: Labels): void;
  /** Reads a gauge anew whenever the numbers are read, for what changes with each request. */
  follow(name: MetricName, read: () => number, labels?: Labels): void;
  /** Forgets every series of a gauge, so that what is gone is not told any more; it is set anew before the next reading. */
  clear(name: MetricName): void;
}

/** Name of a metric, without prefix. */
export type MetricName = keyof typeof METRICS;
