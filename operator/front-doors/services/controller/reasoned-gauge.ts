import type { Labels, Meter, MetricName } from '../../../ports/meter';

/** A gauge that counts members by their labels; a set of labels once used is told as 0 when none is left. */
export class ReasonedGauge {
  readonly #counts = new Map<string, number>();
  readonly #meter: Meter;
  readonly #name: MetricName;

  /**
   * Makes one without members.
   *
   * @param meter - where the numbers go
   * @param name - one of a gauge
   */
  constructor(meter: Meter, name: MetricName) {
    this.#meter = meter;
    this.#name = name;
  }

  /**
   * Counts a member elsewhere.
   *
   * @param before - its labels until now; undefined where it was not counted
   * @param after - its labels from now on; undefined where it leaves
   */
  move(before: Labels | undefined, after: Labels | undefined): void {
    if (before === undefined && after === undefined) return;
    this.#add(before, -1);
    this.#add(after, 1);
  }

  #add(labels: Labels | undefined, by: number): void {
    if (labels === undefined) return;
    const key = JSON.stringify(labels);
    const count = (this.#counts.get(key) ?? 0) + by;
    this.#counts.set(key, count);
    this.#meter.set(this.#name, count, labels);
  }
}
