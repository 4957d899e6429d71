import type { AlertRow } from '../monitoring/alert';
import { growth, metric } from '../monitoring/promql';

const FAILED = 'code=~"INTERNAL|UNKNOWN|UNAVAILABLE|DEADLINE_EXCEEDED"';
// probes ask for health every few seconds and always succeed, so they would hide the calls that fail
const OF_CLIENTS = 'method!~"Health.*"';

/**
 * Lists the alerts about the gRPC API of networks.
 *
 * @returns that of calls that fail through no fault of their callers
 */
export function networksGrpcAlerts(): readonly AlertRow[] {
  const calls = (...selectors: readonly string[]): string =>
    growth(metric('grpc_calls_total', [OF_CLIENTS, ...selectors].join(',')), '10m', []);
  return [
    {
      alert: 'IpamGrpcCallsFail',
      severity: 'warning',
      expr: `100 * ${calls(FAILED)} / (${calls()} > 0) > 5`,
      for: '15m',
      summary: '{{ printf "%.0f" $value }} % of the gRPC calls of networks fail',
      says: [
        'Clients get no answer, or none within a minute, through no fault of their own.',
        'The log of the Pod that leads says why; while no Pod leads, or the API server is away, nothing is decided.',
      ],
    },
  ];
}
