import type { LogFields, Logger } from '../../operator/ports/logger';
import type { Labels, Meter, MetricName } from '../../operator/ports/meter';

/** One log line as a test sees it. */
export interface RecordedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps its lines. */
export class RecordedLogger implements Logger {
  readonly lines: RecordedLine[] = [];
  readonly #waiters: {
    readonly fits: (line: RecordedLine) => boolean;
    readonly resolve: (line: RecordedLine) => void;
  }[] = [];

  debug(message: string, fields: LogFields = {}): void {
    this.#add({ level: 'debug', message, fields });
  }

  info(message: string, fields: LogFields = {}): void {
    this.#add({ level: 'info', message, fields });
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#add({ level: 'warn', message, fields });
  }

  error(message: string, fields: LogFields = {}): void {
    this.#add({ level: 'error', message, fields });
  }

  /** Waits for a line whose message contains `text`; lines of the past count too. */
  heard(text: string): Promise<RecordedLine> {
    const fits = (line: RecordedLine): boolean => line.message.includes(text);
    const past = this.lines.find(fits);
    if (past !== undefined) return Promise.resolve(past);
    return new Promise((resolve) => this.#waiters.push({ fits, resolve }));
  }

  /** All lines as one text, for "this appears nowhere". */
  get text(): string {
    return JSON.stringify(this.lines);
  }

  #add(line: RecordedLine): void {
    this.lines.push(line);
    for (const { fits, resolve } of this.#waiters) if (fits(line)) resolve(line);
  }
}

/** A meter that keeps its samples. */
export class RecordedMeter implements Meter {
  readonly samples: { readonly name: MetricName; readonly labels: Labels; readonly value: number }[] = [];
  readonly #followed: { readonly name: MetricName; readonly labels: Labels; readonly read: () => number }[] = [];

  count(name: MetricName, labels: Labels = {}, by = 1): void {
    this.samples.push({ name, labels, value: by });
  }

  clear(name: MetricName): void {
    for (let at = this.samples.length - 1; at >= 0; at--)
      if (this.samples[at]?.name === name) this.samples.splice(at, 1);
  }

  observe(name: MetricName, seconds: number, labels: Labels = {}): void {
    this.samples.push({ name, labels, value: seconds });
  }

  set(name: MetricName, value: number, labels: Labels = {}): void {
    this.samples.push({ name, labels, value });
  }

  follow(name: MetricName, read: () => number, labels: Labels = {}): void {
    this.#followed.push({ name, labels, read });
  }

  /** Samples of one metric; a followed gauge gives one at the end, read now. */
  of(name: MetricName): readonly { readonly labels: Labels; readonly value: number }[] {
    const now = this.#followed.map((gauge) => ({ ...gauge, value: gauge.read() }));
    return [...this.samples, ...now].filter((sample) => sample.name === name);
  }

  /** Sum of a gauge over its labels, each by its last value. */
  sum(name: MetricName): number {
    const last = new Map(this.of(name).map(({ labels, value }) => [JSON.stringify(labels), value]));
    return [...last.values()].reduce((total, value) => total + value, 0);
  }
}
