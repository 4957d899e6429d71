import type { Meter, MetricName } from '../ports/meter';

/** Counts of objects by reason, told as a gauge with the one label `reason`. A reason once used is told as 0 when none has it any more. */
export class ReasonCounts {
  readonly #counts = new Map<string, number>();
  readonly #told: { readonly meter: Pick<Meter, 'set'>; readonly gauge: MetricName };

  /**
   * Starts without an object.
   *
   * @param told - is told the counts
   * @param told.meter - where the numbers go
   * @param told.gauge - with the one label `reason`
   */
  constructor(told: { readonly meter: Pick<Meter, 'set'>; readonly gauge: MetricName }) {
    this.#told = told;
  }

  /**
   * Moves one object.
   *
   * @param from - its reason before; undefined where it was not counted
   * @param to - its reason from now on; undefined where it is not counted
   */
  move(from: string | undefined, to: string | undefined): void {
    if (from === to) return;
    if (from !== undefined) this.#add(from, -1);
    if (to !== undefined) this.#add(to, 1);
  }

  /** Tells 0 of each reason. */
  clear(): void {
    for (const reason of this.#counts.keys()) this.#tell(reason, 0);
    this.#counts.clear();
  }

  #add(reason: string, by: number): void {
    const count = (this.#counts.get(reason) ?? 0) + by;
    this.#counts.set(reason, count);
    this.#tell(reason, count);
  }

  #tell(reason: string, count: number): void {
    this.#told.meter.set(this.#told.gauge, count, { reason });
  }
}
