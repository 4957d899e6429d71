import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { exposedName, METRICS, type Labels, type Meter, type MetricName } from '../ports/meter';

/** Text that Prometheus reads. */
interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/** A meter whose numbers can be read. Safe to share; holds its numbers until the process ends. */
export interface PrometheusMeter extends Meter {
  /**
   * Writes all numbers in the text format of Prometheus.
   *
   * @returns content type and text
   */
  exposition(): Promise<Exposition>;
}

/** Most values of one label of one metric; further ones count as {@link OTHER}, so that no caller can fill the memory. */
const MAX_LABEL_VALUES = 256;
const MAX_LABEL_CHARACTERS = 128;
const OTHER = 'other';
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

type Metric = Counter | Gauge | Histogram;

/**
 * Makes the meter of the process.
 *
 * @param options - `processMetrics`: also measure memory, event loop and garbage collection (default true)
 * @returns the meter with a registry of its own
 */
export function createMeter(options: { readonly processMetrics?: boolean } = {}): PrometheusMeter {
  const registry = new Registry();
  if (options.processMetrics ?? true) collectDefaultMetrics({ register: registry });
  const metrics = new Map<MetricName, Metric>();
  for (const name of Object.keys(METRICS) as MetricName[]) metrics.set(name, createMetric(name, registry));
  const bounded = labelBounds();
  const counters = seriesOf((name, labels) => {
    const metric = metrics.get(name);
    return metric instanceof Counter ? metric.labels(labels) : undefined;
  }, bounded);
  const histograms = seriesOf((name, labels) => {
    const metric = metrics.get(name);
    return metric instanceof Histogram ? metric.labels(labels) : undefined;
  }, bounded);
  const gauges = seriesOf((name, labels) => {
    const metric = metrics.get(name);
    return metric instanceof Gauge ? metric.labels(labels) : undefined;
  }, bounded);

  const followed: (() => void)[] = [];

  return {
    count: (name, labels, by = 1) => counters(name, labels)?.inc(by),
    observe: (name, seconds, labels) => histograms(name, labels)?.observe(seconds),
    set: (name, value, labels) => gauges(name, labels)?.set(value),
    follow: (name, read, labels) => {
      followed.push(() => gauges(name, labels)?.set(read()));
    },
    clear: (name) => {
      const metric = metrics.get(name);
      if (metric instanceof Gauge) metric.reset();
    },
    exposition: async () => {
      for (const measure of followed) measure();
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

function createMetric(name: MetricName, registry: Registry): Metric {
  const { kind, help } = METRICS[name];
  // metrics of the process keep the names that all dashboards know
  const common = { name: exposedName(name), help, labelNames: [...METRICS[name].labels], registers: [registry] };
  switch (kind) {
    case 'counter':
      return new Counter(common);
    case 'gauge':
      return new Gauge(common);
    case 'histogram':
      return new Histogram({ ...common, buckets: name.endsWith('_seconds') ? SECONDS : SIZES });
  }
}

type Bounds = (name: MetricName, labels: Labels | undefined) => Record<string, string>;

// Remembers the series of label values, since the library checks and sorts the labels at every call; only what the bounds
// let through unchanged, so that there are never more entries than series.
function seriesOf<S>(
  find: (name: MetricName, labels: Record<string, string>) => S | undefined,
  bounded: Bounds,
): (name: MetricName, labels: Labels | undefined) => S | undefined {
  const known = new Map<string, S>();
  return (name, labels) => {
    let key: string = name;
    for (const label of METRICS[name].labels) key += `\n${labels?.[label] ?? ''}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const values = bounded(name, labels);
    const series = find(name, values);
    const unchanged = METRICS[name].labels.every((label) => values[label] === (labels?.[label] ?? ''));
    if (series !== undefined && unchanged) known.set(key, series);
    return series;
  };
}

// Prometheus keeps one series for each combination of values for ever, so values must stay few whatever callers send.
function labelBounds(): Bounds {
  const seen = new Map<string, Set<string>>();
  return (name, labels = {}) => {
    const bounded: Record<string, string> = {};
    for (const label of METRICS[name].labels) {
      const value = (labels[label] ?? '').slice(0, MAX_LABEL_CHARACTERS);
      const key = `${name}/${label}`;
      const values = seen.get(key) ?? new Set();
      seen.set(key, values);
      if (values.size < MAX_LABEL_VALUES) values.add(value);
      bounded[label] = values.has(value) ? value : OTHER;
    }
    return bounded;
  };
}
