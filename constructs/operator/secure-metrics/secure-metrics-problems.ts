import type { Refusal } from '../../../operator/errors/outcome';
import { withoutEffect } from '../../props-kit/options-without-effect';
import { secretProblems } from '../../props-kit/secret-key';
import type { MonitoringProps } from '../monitoring/monitoring-props';

/**
 * Checks the Secrets of the metrics over HTTPS.
 *
 * @param monitoring - as given to the operator
 * @returns every problem at once
 */
export function secureMetricsProblems({ secure, serviceMonitor }: MonitoringProps = {}): readonly Refusal[] {
  const token = { field: 'monitoring.serviceMonitor.token', value: serviceMonitor?.token };
  const name = secure?.certificateSecret;
  return [
    ...secretProblems('monitoring.secure.certificateSecret', name === undefined ? undefined : { name }),
    ...secretProblems(token.field, serviceMonitor?.token),
    ...(secure === undefined ? withoutEffect('without monitoring.secure, which asks for a token', [token]) : []),
  ];
}
