import { quoteValue } from '../../contract/quote';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { Claimant, Grant } from '../../ports/address-book';
import { claimsOf, recordsOf } from '../records/claims';
import { explain, namesFor } from '../records/holder-words';
import { claimAt, recordAt, type ZoneAddress } from '../decisions/find-claim';
import { grantOf } from '../records/grant';
import type { LedgerContext } from '../records/ledger-context';

/**
 * Checks that a claimant holds an address; see `AddressBook.check`. A pure read.
 *
 * @param context - the ledger's parts
 * @param request - claimant, zone and address
 * @returns the grant, or refusal `reservation/missing`
 */
export async function check(
  context: LedgerContext,
  request: ZoneAddress & { claimant: Claimant },
): Promise<Outcome<Grant>> {
  const claim = await claimAt(context, request, request.claimant);
  if (claim !== undefined && claim.holder.state !== 'retained') return accept(grantOf(claim, false));
  const record = await recordAt(context, request);
  const value = request.address.toString();
  const text = `address "${value}" of zone ${quoteValue(request.zone)} is not reserved for this object`;
  return refuse(
    'reservation/missing',
    record === undefined ? text : `${text}; it ${explain(record, namesFor(request.claimant))}`,
    { value },
  );
}

/**
 * Lists what a claimant holds now; see `AddressBook.holdings`. What is only retained has no owner and is not listed.
 *
 * @param context - the ledger's parts
 * @param claimant - the Service in question
 * @returns the grants, lowest address first
 */
export async function holdings(context: LedgerContext, claimant: Claimant): Promise<readonly Grant[]> {
  const claims = claimsOf(await recordsOf(context, claimant), claimant);
  return claims.filter(({ holder }) => holder.state !== 'retained').map((claim) => grantOf(claim, false));
}
