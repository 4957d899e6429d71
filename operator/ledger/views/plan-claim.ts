import { IpamError } from '../../errors/ipam-error';
import { accept, type Outcome } from '../../errors/outcome';
import type { ReserveRequest } from '../../ports/address-book';
import type { AddressRecord } from '../../ports/claims';
import type { Planned } from '../../ports/registry';
import { takeRequest } from '../verbs/commit-step';
import type { LedgerContext } from '../records/ledger-context';
import { decide, openCase, requestProblem } from '../verbs/reserve';
import type { ReserveCase, Step } from '../decisions/reserve-case';

/**
 * Tells what a reservation would get now; see `Registry.plan`. The same decision as that of `reserve`, without its commit.
 *
 * @param context - the ledger's parts
 * @param request - who would ask, for what
 * @returns the address, or the refusal
 */
export async function planClaim(context: LedgerContext, request: ReserveRequest): Promise<Outcome<Planned>> {
  const problem = requestProblem(request);
  if (problem !== undefined) return problem;
  const on = openCase(context, request);
  const step = await decide(context, on);
  switch (step.do) {
    case 'refuse':
      return { ok: false, refusal: step.refusal };
    case 'keep':
      return accept(planned(step.claim.record, 'kept'));
    case 'write':
      return accept(planned(step.record, kindOf(step)));
    case 'take':
      return planTake(context, on, step);
  }
}

async function planTake(
  context: LedgerContext,
  on: ReserveCase,
  step: Extract<Step, { do: 'take' }>,
): Promise<Outcome<Planned>> {
  const places = await context.claims.peek(takeRequest(context, on, step));
  if (!places.ok) return places;
  const [place] = places.value;
  if (place === undefined) throw new IpamError('internal', 'a look at a take told no place');
  const { address } = place;
  const { wish, family } = on.request;
  const returns = step.returningOver !== undefined || (step.address !== undefined && wish === undefined);
  return accept({ zone: step.zone.name, family, address, kind: returns ? 'returned' : 'new' });
}

function kindOf({ record, holderId }: Extract<Step, { do: 'write' }>): Planned['kind'] {
  if (holderId === undefined) return 'joined';
  const holder = record.holders.find((each) => each.id === holderId);
  return holder?.state === 'retained' ? 'returned' : 'kept';
}

function planned({ pool: zone, family, address }: AddressRecord, kind: Planned['kind']): Planned {
  return { zone, family, address, kind };
}
