import { IpamError } from '../../../errors/ipam-error';
import type { Outcome } from '../../../errors/outcome';

/** What a guarded write came to. */
export type Written = 'written' | 'changed' | 'gone';

/**
 * Reads what a write came to.
 *
 * @param outcome - of a guarded write
 * @returns what it came to
 * @throws IpamError of a refusal that no second look ends
 */
export function afterWrite(outcome: Outcome<void>): Written {
  if (outcome.ok) return 'written';
  const { code, message } = outcome.refusal;
  if (code === 'store/conflict') return 'changed';
  if (code === 'claim/not-found') return 'gone';
  throw new IpamError(code, message);
}
