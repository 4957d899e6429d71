import { IpamError } from '../../errors/ipam-error';
import { accept, type Outcome } from '../../errors/outcome';
import type { Preview, ReserveRequest } from '../../ports/address-book';
import type { AddressRecord, Place, TakeRequest } from '../../ports/claims';
import type { ReserveCase, Step } from '../decisions/reserve-case';
import { claimsOf } from '../records/claims';
import type { LedgerContext } from '../records/ledger-context';
import { untilSettled, type Attempt } from '../records/until-settled';
import { limitProblem, lostRace, refusedTake, takeRequest, underSameKey } from '../verbs/commit-step';
import { decide, openCase, requestProblem } from '../verbs/reserve';

type Take = Extract<Step, { do: 'take' }>;

/** A decision, and the space that it would come to. */
export interface Foreseen {
  readonly step: Exclude<Step, { do: 'refuse' }>;
  /** Absent where the record chooses when it takes, and not before. */
  readonly place?: Place;
  /** The record was not asked whether it gives the space. */
  readonly unasked?: true;
  /** Pool that the space is of. */
  readonly pool: string;
}

/**
 * Decides as a reservation does, and looks at the store where the reservation would write to it.
 *
 * @param context - the ledger's parts
 * @param request - claimant and wish
 * @param beside - what the same claimant would have taken a moment before
 * @returns the decision with its space; or the refusal, in the words of the reservation
 */
export async function foresee(
  context: LedgerContext,
  request: ReserveRequest,
  beside: readonly ReserveRequest[] = [],
): Promise<Outcome<Foreseen>> {
  const problem = requestProblem(request);
  if (problem !== undefined) return problem;
  return untilSettled(async () => {
    const on = openCase(context, request);
    return foreseeStep(context, { on, beside }, await decide(context, on));
  });
}

interface Asked {
  readonly on: ReserveCase;
  readonly beside: readonly ReserveRequest[];
}

async function foreseeStep(context: LedgerContext, asked: Asked, step: Step): Promise<Attempt<Foreseen>> {
  switch (step.do) {
    case 'refuse':
      return { ok: false, refusal: step.refusal };
    case 'keep':
      return accept(onRecord(step, step.claim.record));
    case 'write':
      return (await limitProblem(context, asked.on, step)) ?? accept(onRecord(step, step.record));
    case 'take':
      return foreseeTake(context, asked, step);
  }
}

function onRecord(step: Foreseen['step'], { network, address, pool }: AddressRecord): Foreseen {
  return { step, place: { network, address }, pool };
}

async function foreseeTake(context: LedgerContext, asked: Asked, step: Take): Promise<Attempt<Foreseen>> {
  const { on } = asked;
  const request = takeRequest(context, on, step);
  const places = await context.claims.peek?.(request);
  if (places === undefined) return accept(unasked(step));
  if (!places.ok) return refusedTake(context, on, { step, refused: places });
  const [place] = places.value;
  if (place === undefined) throw new IpamError('internal', 'a look at a take told no place');
  const record = on.key === undefined ? undefined : await context.claims.get(place);
  const holder = record?.holders.find((each) => each.key === on.key);
  if (record !== undefined && holder !== undefined)
    return foreseeStep(context, asked, underSameKey(on, { record, holder }));
  const over = await overTogether(context, request, asked.beside);
  return over ?? accept({ step, place, pool: step.zone.name });
}

function unasked(step: Take): Foreseen {
  const { zone, address } = step;
  const place = address === undefined ? {} : { place: { network: zone.network, address } };
  return { step, ...place, unasked: true, pool: zone.name };
}

// Two spaces of one Service are taken one after the other, so the limits count the first one at the second.
async function overTogether(
  context: LedgerContext,
  request: TakeRequest,
  beside: readonly ReserveRequest[],
): Promise<Outcome<never> | undefined> {
  const [want] = request.wants;
  for (const other of beside) {
    const on = openCase(context, other);
    const step = await decide(context, on);
    if (step.do !== 'take' || step.zone.name !== request.pool) continue;
    const [first] = takeRequest(context, on, step).wants;
    const both = await context.claims.peek?.({ ...request, wants: [first, want] });
    if (both?.ok === false && !lostRace(both.refusal)) return both;
  }
  return undefined;
}

/**
 * Tells what a reservation would get now; see `AddressBook.preview`.
 *
 * @param context - the ledger's parts
 * @param request - claimant and wish
 * @param beside - what the same claimant would have taken a moment before
 * @returns the address, where the record tells it before it takes; or the refusal
 */
export async function preview(
  context: LedgerContext,
  request: ReserveRequest,
  beside: readonly ReserveRequest[],
): Promise<Outcome<Preview>> {
  const found = await foresee(context, request, beside);
  if (!found.ok) return found;
  const { step, place, pool: zone, unasked: isUnasked = false } = found.value;
  const isHeld = step.do !== 'take' && claimsOf([recordOf(step)], request.claimant).length > 0;
  return accept({
    zone,
    family: request.family,
    ...(place === undefined ? {} : { address: place.address }),
    certain: isHeld || request.wish !== undefined,
    ...(isUnasked ? { caveat: caveatOf(zone) } : {}),
  });
}

function caveatOf(zone: string): string {
  return `zone "${zone}": its record has no preview; only the real call shows whether an address is given, and which`;
}

function recordOf(step: Extract<Step, { do: 'keep' | 'write' }>): AddressRecord {
  return step.do === 'keep' ? step.claim.record : step.record;
}
