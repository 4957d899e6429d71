import type { ReserveRequest } from '../../ports/address-book';
import type { Holder } from '../../ports/claim-store';
import { sharingProblem, type SharingProblem } from '../../rules/sharing';
import { labelOf } from '../records/holder-words';

/**
 * Judges a request against everybody else on an address.
 *
 * @param request - who wants to join or to stay, with its new terms
 * @param others - the other holders
 * @returns the first problem, undefined when all of them may share
 */
export function sharingProblemWith(request: ReserveRequest, others: readonly Holder[]): SharingProblem | undefined {
  const { claimant, sharing } = request;
  const candidate = { label: labelOf(claimant), place: claimant.service, terms: sharing };
  for (const other of others) {
    const problem = sharingProblem(candidate, { label: labelOf(other), place: other.service, terms: other.sharing });
    if (problem !== undefined) return problem;
  }
  return undefined;
}
