import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { ReserveRequest } from '../../ports/address-book';
import type { Planned } from '../../ports/registry';
import type { Step } from '../decisions/reserve-case';
import type { LedgerContext } from '../records/ledger-context';
import { foresee } from './preview';

/**
 * Tells what a reservation would get now; see `Registry.plan`. The same decision as that of `reserve`, without its commit.
 *
 * @param context - the ledger's parts
 * @param request - claimant and wish
 * @returns the address, or the refusal, which is `store/no-preview` where the record tells nothing before it takes
 */
export async function planClaim(context: LedgerContext, request: ReserveRequest): Promise<Outcome<Planned>> {
  const found = await foresee(context, request);
  if (!found.ok) return found;
  const { step, place, unasked = false, pool: zone } = found.value;
  if (unasked || place === undefined)
    return refuse('store/no-preview', `zone "${zone}": its record does not tell what it gives before it is asked to`);
  return accept({ zone, family: request.family, address: place.address, kind: kindOf(step, request) });
}

function kindOf(step: Exclude<Step, { do: 'refuse' }>, { wish }: ReserveRequest): Planned['kind'] {
  if (step.do === 'keep') return 'kept';
  if (step.do === 'take') {
    const returns = step.returningOver !== undefined || (step.address !== undefined && wish === undefined);
    return returns ? 'returned' : 'new';
  }
  if (step.holderId === undefined) return 'joined';
  const holder = step.record.holders.find((each) => each.id === step.holderId);
  return holder?.state === 'retained' ? 'returned' : 'kept';
}
