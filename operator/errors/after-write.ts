import { IpamError } from './ipam-error';
import type { Outcome } from './outcome';

/** Result of a guarded write: done, overtaken by another change of the object, or too late for it. */
export type Written = 'written' | 'changed' | 'gone';

/**
 * Reads the result of a guarded write.
 *
 * @param outcome - refusal of the API server, or none
 * @returns whether the object was written
 * @throws IpamError of a refusal that no second look ends
 */
export function afterWrite(outcome: Outcome<unknown>): Written {
  if (outcome.ok) return 'written';
  const { code, message } = outcome.refusal;
  if (code === 'store/conflict') return 'changed';
  if (code === 'claim/not-found') return 'gone';
  throw new IpamError(code, message);
}
