import type { ErrorCode } from './catalogue';
import { isIpamError } from './ipam-error';

/** Faults of the store or the cluster, which concern every object alike. */
const OUTAGES: readonly ErrorCode[] = [
  'store/unavailable',
  'store/not-ready',
  'store/deadline',
  'store/closed',
  'store/locked',
  'cluster/unavailable',
];

/**
 * Tells whether a fault concerns every object alike, so that the work on others would fail as well.
 *
 * @param thrown - whatever was caught
 * @returns false for a fault that one object can cause, which must not stop the work on others
 */
export function isOutage(thrown: unknown): boolean {
  return isIpamError(thrown) && OUTAGES.includes(thrown.code);
}
