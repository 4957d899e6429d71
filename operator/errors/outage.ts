import { CATALOGUE, type ErrorCode } from './catalogue';
import { isIpamError } from './ipam-error';

/**
 * Tells whether a fault of store or cluster concerns every object alike, so that the work on others would fail as well.
 *
 * @param thrown - whatever was caught
 * @returns false for a fault that one object can cause, which must not stop the work on others
 */
export function isOutage(thrown: unknown): boolean {
  return isIpamError(thrown) && (thrown.code === 'cluster/unavailable' || isOfStore(thrown.code));
}

const isOfStore = (code: ErrorCode): boolean => code.startsWith('store/') && CATALOGUE[code].http === 503;
