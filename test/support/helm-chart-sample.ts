import type { Json } from '../../constructs/render/helm/value-reader';

/** One value of the chart that is not at its default, with others that it needs to have an effect. */
export interface ChartSample {
  readonly value: Json;
  readonly with?: Readonly<Record<string, Json>>;
  /** Value to compare with, where its default is not possible with these others. */
  readonly instead?: Json;
  /** Others that differ where the value is at its default, since it is not possible with those. */
  readonly before?: Readonly<Record<string, Json>>;
  /** Values of a wrong type or outside of what is allowed; the schema refuses each. */
  readonly wrong: readonly Json[];
}
