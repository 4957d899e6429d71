/** One alert as a PrometheusRule has it. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: 'warning' | 'critical' };
  readonly annotations: { readonly summary: string; readonly description: string };
}

/** One alert as it is declared. */
export interface AlertRow extends Pick<Alert, 'alert' | 'expr' | 'for'> {
  readonly severity: Alert['labels']['severity'];
  readonly summary: string;
  /** Sentences of the description. */
  readonly says: readonly string[];
}

/**
 * Makes an alert of a row.
 *
 * @param row - as it is declared
 * @returns what a PrometheusRule has
 */
export function alertOf({ severity, summary, says, ...rest }: AlertRow): Alert {
  return { ...rest, labels: { severity }, annotations: { summary, description: says.join(' ') } };
}
