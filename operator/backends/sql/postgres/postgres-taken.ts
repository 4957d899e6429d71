import { IpamError } from '../../../errors/ipam-error';
import { accept, type Outcome } from '../../../errors/outcome';
import type { Taken, TakeRequest } from '../../../ports/claims';
import { oneRecord } from '../shared/claim-row';
import { refuseTake } from './postgres-refusals';
import { claimRow, recordIn, type WriteResult } from './postgres-wire';

/**
 * Reads what a take came to.
 *
 * @param request - what was asked for
 * @param result - what the database said
 * @returns one result for each want, or the refusal in words
 */
export function takenBy(request: TakeRequest, result: WriteResult): Outcome<readonly Taken[]> {
  if (result.refused !== undefined) return refuseTake(request, result);
  const all = result.taken ?? [recordIn(result)];
  return accept(all.map(({ rows, created }) => ({ record: oneRecord(rows.map(claimRow)), created: created === true })));
}

/**
 * Reads what a first take came to.
 *
 * @param request - what was asked for
 * @param result - what the database said
 * @returns what {@link takenBy} answers; undefined where the owner is known
 */
export function firstTakenBy(request: TakeRequest, result: WriteResult): Outcome<readonly Taken[]> | undefined {
  return result.refused === undefined && result.known === true ? undefined : takenBy(request, result);
}

/**
 * Reads what the write of a use came to.
 *
 * @param result - what the database said
 * @returns whether it is on record; false where its cluster has another name by now
 */
export function isUseWritten(result: WriteResult): boolean {
  if (result.refused === 'renamed') return false;
  if (result.refused === undefined && result.done === true) return true;
  throw new IpamError('internal', 'the database refused a use of an address');
}
