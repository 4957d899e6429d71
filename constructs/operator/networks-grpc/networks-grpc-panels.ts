import { RATE, type Panel } from '../monitoring/panel';
import { growth, metric } from '../monitoring/promql';

/** Panels about calls of the gRPC API of networks; empty where it does not listen. */
export const NETWORKS_GRPC_PANELS: readonly Panel[] = [
  {
    title: 'gRPC calls of networks',
    description: 'Calls that ended, by method and status',
    type: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [{ expr: growth(metric('grpc_calls_total'), RATE, ['method', 'code']), legend: '{{method}} {{code}}' }],
  },
];
