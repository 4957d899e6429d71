import { isIn, type Address } from '../../../addressing/address';
import { conditionOf, ingressOf, isTakenByOthers, outcomeOf } from '../../../rules/vips';
import type { ServiceOutcome } from '../../../rules/vips/decide';
import type { Slot } from '../../../rules/vips/types';
import type { Decided, Ended, Serve, VipsContext } from './context';
import { isHolder, placeOf } from './record';
import type { Written } from '../../../errors/after-write';
import { takeFinalizersOff, writeStatus } from './status';
import { giveBack, giveBackAll, rebind, tryOffer, type Tried } from './take';

/**
 * Carries out a decision that serves a Service: first the record, then the status, then what is given back. Each step can be the last
 * one of this process: another one finds what is on record and goes on from there.
 *
 * @param context - of the controller
 * @param decided - the Service and what was decided
 * @returns whether it is done
 * @throws IpamError of record or cluster; then it is tried again
 */
export async function serve(context: VipsContext, decided: Decided<Serve>): Promise<Ended> {
  const { decision, facts } = decided;
  if ((await putOnRecord(context, decided)) === 'again') return 'again';
  const filled = await fill(context, decided);
  if (filled === 'again') return 'again';
  const isHalf = decision.isAllOrNone && filled.includes(undefined);
  const outcome = outcomeOf(decision, isHalf ? filled.map(() => undefined) : filled);
  const undone = isHalf ? filled.flatMap((each) => each ?? []) : [];
  const told = isHalf ? { ...outcome, refusals: [...decision.notes, ...missing(decision, filled)] } : outcome;
  const ingress = ingressOf(facts, outcome.addresses);
  if (!ingress.every((address) => mayShow(context, decided, address))) return 'again';
  const written = await writeStatus(context, decided, { ingress, condition: conditionOf(told) });
  if (written !== 'written') return afterLostWrite(context, decided, written);
  if (decision.areFinalizersCleared) await takeFinalizersOff(context, decided.stored);
  await giveBackAll(context, facts, [...outcome.release, ...undone]);
  tellWaiting(context, decided, told);
  return 'done';
}

/**
 * Puts on record what a Service shows by right, and writes its UID to what it holds.
 *
 * @param context - of the controller
 * @param decided - the Service and what was decided
 * @returns whether the record is as it was decided on
 * @throws IpamError of the record
 */
export async function putOnRecord(
  context: VipsContext,
  { decision, facts }: Pick<Decided<Serve>, 'decision' | 'facts'>,
): Promise<Ended> {
  for (const { address } of decision.rebind) if (!(await rebind(context, facts, address))) return 'again';
  for (const offer of decision.restore) {
    if (offer.address === undefined) continue;
    const tried = await tryOffer(context, facts, { offer, family: offer.address.family });
    if (typeof tried === 'string') return 'again';
    context.parts.meter.count('vip_repairs_total', { kind: 'restored' });
  }
  return 'done';
}

type Filled = readonly (Exclude<Tried, string> | undefined)[];

async function fill(context: VipsContext, { decision, facts }: Decided<Serve>): Promise<Filled | 'again'> {
  const filled: (Exclude<Tried, string> | undefined)[] = [];
  for (const slot of decision.slots) {
    const got = await fillSlot(context, facts, slot);
    // what was taken by now is held by the Service, so the next decision goes on with it
    if (got === 'again') return 'again';
    filled.push(got);
  }
  return filled;
}

async function fillSlot(
  context: VipsContext,
  facts: Decided<Serve>['facts'],
  { offers, family }: Slot,
): Promise<Filled[number] | 'again'> {
  for (const offer of offers) {
    const tried = await tryOffer(context, facts, { offer, family });
    if (tried === 'again') return 'again';
    if (tried !== 'none') return tried;
  }
  return undefined;
}

const missing = ({ slots }: Serve, filled: Filled) =>
  slots.flatMap(({ ifNone }, index) => (filled[index] === undefined ? [ifNone] : []));

// An IP may be deleted past the policy at any moment, so that what was decided on is not on record any more.
function mayShow({ parts }: VipsContext, { facts, view }: Decided<Serve>, address: Address): boolean {
  if (isIn(address, facts.shown)) return true;
  const holders = parts.known.at(placeOf(address))?.holders ?? [];
  return holders.some((each) => isHolder(each, facts.service)) && !isTakenByOthers(address, facts, view);
}

// A Service that is gone meanwhile holds nothing: what was taken for it goes back at once.
async function afterLostWrite(
  context: VipsContext,
  { facts }: Decided<Serve>,
  written: Exclude<Written, 'written'>,
): Promise<Ended> {
  if (written === 'changed') return 'again';
  const { uid } = facts.service;
  for (const { address } of context.parts.known.find({ by: 'uid', uid }))
    await giveBack(context, address, (each) => isHolder(each, facts.service) && each.owner.uid === uid);
  context.waiting.leave(uid, false);
  return 'done';
}

function tellWaiting({ waiting }: VipsContext, { stored, since }: Decided<Serve>, told: ServiceOutcome): void {
  const { key, createdMs } = stored;
  if (told.refusals.length > 0) waiting.park(key, told.refusals, { createdMs, since });
  else waiting.leave(key.uid, true);
}
