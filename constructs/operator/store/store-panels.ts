import { RATE, type Panel } from '../monitoring/panel';
import { growth, metric, perSecond, quantile } from '../monitoring/promql';

/** Panels about the record and its reservations. */
export const STORE_PANELS: readonly Panel[] = [
  {
    title: 'Store',
    description: 'Transactions, and operations in one of them',
    type: 'timeseries',
    unit: 'short',
    width: 8,
    queries: [
      { expr: perSecond(metric('store_groups_total'), RATE, []), legend: 'groups per second' },
      { expr: quantile(0.5, 'store_group_size'), legend: 'requests in one, p50' },
    ],
  },
  {
    title: 'Size of the store',
    description: 'Claims and their history, with what is free inside of the file',
    type: 'timeseries',
    unit: 'bytes',
    width: 8,
    queries: [{ expr: `max(${metric('store_bytes')})`, legend: 'bytes' }],
  },
  {
    title: 'Reservations given back',
    description: 'Of Services that were never stored; sweeps that fail keep them',
    type: 'timeseries',
    unit: 'short',
    width: 8,
    queries: [
      { expr: growth(metric('reservations_swept_total'), RATE), legend: 'given back' },
      { expr: growth(metric('sweeps_total', 'result="failed"'), RATE), legend: 'failed sweeps' },
    ],
  },
];
