import { valueOf } from './ipam-error';
import type { Outcome } from './outcome';

/** Refusals of a record that another holder causes, which the decision did not know of. */
const OVERTAKEN: readonly string[] = ['address/held', 'address/quarantined', 'store/conflict', 'claim/not-found'];

/**
 * Tells whether another holder was faster.
 *
 * @param outcome - of a verb of a record
 * @returns true for a refusal that a new decision can mend
 * @throws IpamError for every other refusal
 */
export function isOvertaken(outcome: Outcome<unknown>): boolean {
  if (outcome.ok) return false;
  if (OVERTAKEN.includes(outcome.refusal.code)) return true;
  valueOf(outcome);
  return false;
}
