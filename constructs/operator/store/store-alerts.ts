import type { AlertRow } from '../monitoring/alert';
import { metric } from '../monitoring/promql';

/** A volume of 1Gi, the default, has room for the store and a copy of it until then. */
const LARGE_BYTES = 400_000_000;
/** Below it, doubling means nothing. */
const SMALL_BYTES = 50_000_000;
const AHEAD_SECONDS = 4 * 86_400;

const BYTES = `max(${metric('store_bytes')})`;

/** Alerts about the size of the store. */
export const STORE_ALERTS: readonly AlertRow[] = [
  {
    alert: 'IpamStoreGrows',
    severity: 'warning',
    expr: `max(predict_linear(${metric('store_bytes')}[6h], ${String(AHEAD_SECONDS)})) > 2 * ${BYTES} and ${BYTES} > ${String(SMALL_BYTES)}`,
    for: '60m',
    summary: 'The store of claims grows fast',
    says: [
      'At this pace it is twice as large in four days.',
      'Look for Services that are made and deleted in a loop;',
      '--history-days and --history-rows-per-namespace bound what is kept of claims that ended.',
    ],
  },
  {
    alert: 'IpamStoreLarge',
    severity: 'warning',
    expr: `${BYTES} > ${String(LARGE_BYTES)}`,
    for: '15m',
    summary: 'The store of claims is large',
    says: [
      'It has {{ humanize $value }}B. A volume of 1Gi has no room for a copy of it beside it soon, which a backup needs.',
      'Enlarge the volume, or keep less history (--history-days, --history-rows-per-namespace).',
    ],
  },
];
