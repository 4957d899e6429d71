import { RATE, type Curve } from '../monitoring/panel';
import { growth, metric } from '../monitoring/promql';

/** Curves of events that name clusters which are gone. */
export const CLEANUP_EVENTS_CURVES: readonly Curve[] = [
  { expr: growth(metric('cleanup_events_total'), RATE, ['result']), legend: 'events {{result}}' },
  { expr: growth(metric('cleanup_connections_total'), RATE, ['result']), legend: 'connections {{result}}' },
];
