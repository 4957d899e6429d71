import { accept } from '../../errors/outcome';
import type { Grant } from '../../ports/address-book';
import type { Holder } from '../../ports/claims';
import { dropClaim } from './end-claim';
import { outdatedProblem } from '../records/expect-version';
import type { LedgerContext } from '../records/ledger-context';
import { untilSettled, type Attempt } from '../records/until-settled';

/**
 * Gives back what a request made before it failed; see `AddressBook.undo`. What was bound meanwhile stays, and a claim
 * that existed before the request is not touched.
 *
 * @param context - the ledger's parts
 * @param grant - the grant of that request
 */
export async function undo(context: LedgerContext, grant: Grant & { readonly version?: number }): Promise<void> {
  if (!grant.created) return;
  const undoOnce = async (): Promise<Attempt<unknown>> => {
    const record = await context.claims.get({ network: grant.network, address: grant.address });
    const holder = record?.holders.find((each) => each.id === grant.holderId);
    if (record === undefined || holder === undefined || !isAsGranted(holder, grant)) return accept(undefined);
    if (outdatedProblem(record, grant.version) !== undefined) return accept(undefined);
    // a UID on a reservation is left from a former use, whose quarantine the reservation had ended
    return dropClaim(context, { record, holder }, holder.owner.uid !== undefined);
  };
  await untilSettled(() => context.turns.run(grant.address, undoOnce));
}

function isAsGranted(holder: Holder, grant: Grant): boolean {
  if (holder.state !== grant.state) return false;
  // a claim of the IPAM-API is bound at once; a UID shows that a stored object took it over
  return holder.state === 'reserved' || (holder.state === 'bound' && holder.owner.uid === undefined);
}
