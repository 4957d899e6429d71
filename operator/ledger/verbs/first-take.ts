import { accept, type Outcome } from '../../errors/outcome';
import type { Grant } from '../../ports/address-book';
import type { FirstTake, Taken } from '../../ports/claims';
import type { ReserveCase, Step } from '../decisions/reserve-case';
import { everyQueryFor } from '../records/claims';
import { tellEdges } from '../records/edge-addresses';
import { grantOf } from '../records/grant';
import type { LedgerContext } from '../records/ledger-context';
import { lostRace, newest, takeRequest } from './commit-step';

/** A case, and what was decided on the guess that its claimant has nothing. */
export interface FirstStep {
  readonly on: ReserveCase;
  readonly step: Extract<Step, { do: 'take' }>;
}

/**
 * Takes for a claimant that has nothing, if that is so, in one call of the store.
 *
 * @param context - the ledger's parts
 * @param firsts - one case, or one of each family that differs in nothing else
 * @returns the grants in the order of the cases, or the refusal; undefined where the store cannot, or knows the claimant: the cases are still
 *   open
 */
export async function takeFirst(
  context: LedgerContext,
  firsts: readonly FirstStep[],
): Promise<Outcome<readonly Grant[]> | undefined> {
  const [first] = firsts;
  const request = firstTakeOf(context, firsts);
  if (first === undefined || request === undefined) return undefined;
  const taken = await context.claims.takeFirst?.(request);
  if (taken === undefined) return undefined;
  if (taken.ok) return grantsOf(firsts, taken.value);
  if (lostRace(taken.refusal)) return undefined;
  return tellEdges(context, first.on, { zone: first.step.zone, refused: taken });
}

function firstTakeOf(context: LedgerContext, firsts: readonly FirstStep[]): FirstTake | undefined {
  const [first, second] = firsts.map(({ on, step }) => ({ on, take: takeRequest(context, on, step) }));
  if (first === undefined) return undefined;
  const unless = everyQueryFor(first.on.request.claimant);
  if (second === undefined) return { ...first.take, unless };
  return { ...first.take, wants: [first.take.wants[0], second.take.wants[0]], unless };
}

// A key that was used before leads to what the claimant has by now.
function grantsOf(firsts: readonly FirstStep[], taken: readonly Taken[]): Outcome<readonly Grant[]> | undefined {
  const grants: Grant[] = [];
  for (const [index, { on }] of firsts.entries()) {
    const each = taken[index];
    const holder = each?.created === true ? newest(on, each.record) : undefined;
    if (each === undefined || holder === undefined) return undefined;
    grants.push(grantOf({ record: each.record, holder }, true));
  }
  return accept(grants);
}
