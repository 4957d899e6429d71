import { serviceIdentity } from '../../contract/service-identity';
import type { ReserveRequest } from '../../ports/address-book';
import type { Holder } from '../../ports/claims';
import { sharingProblem, type SharingProblem } from '../../rules/sharing';
import { ownerOf } from '../records/claims';
import { labelOf } from '../records/holder-words';

/**
 * Judges a request against everybody else on an address.
 *
 * @param request - who wants to join or to stay, with its new terms
 * @param others - the other holders that the record grants the address
 * @returns the first problem, undefined when all of them may share
 */
export function sharingProblemWith(request: ReserveRequest, others: readonly Holder[]): SharingProblem | undefined {
  const { claimant, sharing } = request;
  const candidate = { label: labelOf(ownerOf(claimant)), place: claimant.service, terms: sharing };
  for (const { owner, sharing: terms } of others) {
    const problem = sharingProblem(candidate, { label: labelOf(owner), place: serviceIdentity(owner), terms });
    if (problem !== undefined) return problem;
  }
  return undefined;
}
