import type { Refusal } from '../../../errors/outcome';
import type { Grant } from '../../../ports/address-book';
import type { CollectedWishes } from '../../../rules/wishes';
import type { Attempt } from '../wanted/admission-deadline';
import type { ServicesDoorParts } from '../wanted/door-parts';
import type { Facts } from '../wanted/facts';
import { readIntent } from '../wanted/intent';
import { foreseeAll, reserveAll, type Foreseen, type Reservation } from './reserve-wishes';
import { markGivenUp } from '../wanted/result-marks';
import { ourKeys, type ResultCase } from '../wanted/result-keys';
import type { Review } from '../wanted/review';

/** Everything that stands against the wishes of a Service. */
interface Refused {
  readonly ok: false;
  readonly refusals: readonly [Refusal, ...Refusal[]];
}

/** Addresses that a Service has now, or all refusals of its wishes. */
export type Taken = { readonly ok: true; readonly on: ResultCase; readonly grants: readonly Grant[] } | Refused;

/** Addresses that a Service would have, or all refusals of its wishes. */
export type ForeseenCase =
  { readonly ok: true; readonly on: ResultCase; readonly found: readonly Foreseen[] } | Refused;

/** A review, its facts, the id of a Service without a name, and the wishes where no key is a result. */
interface Asked {
  readonly review: Review;
  readonly facts: Facts;
  readonly reservation: string | undefined;
  readonly wishes?: CollectedWishes;
}

/**
 * Reserves what a Service wishes: the one path of admission and controller.
 *
 * @param parts - of the door
 * @param asked - the review with what is known of it
 * @param attempt - nothing new is begun once its deadline ended
 * @returns the grants in the order of the result, all or none
 * @throws {@link IpamError} of store or cluster
 */
export async function takeWished(parts: ServicesDoorParts, asked: Asked, attempt: Attempt): Promise<Taken> {
  const read = readCase(asked);
  if (!read.ok) return read;
  const granted = await reserveAll(parts, read.reservation, attempt);
  return granted.ok ? { ok: true, on: read.on, grants: granted.value } : { ok: false, refusals: [granted.refusal] };
}

/**
 * Tells what {@link takeWished} would come to, on the same path; for a dry run.
 *
 * @param parts - of the door
 * @param asked - the review with what is known of it
 * @param attempt - is told whose answer is waited for
 * @returns the addresses in the order of the result
 * @throws {@link IpamError} of store or cluster
 */
export async function foreseeWished(parts: ServicesDoorParts, asked: Asked, attempt: Attempt): Promise<ForeseenCase> {
  const read = readCase(asked);
  if (!read.ok) return read;
  const found = await foreseeAll(parts, read.reservation, attempt);
  return found.ok ? { ok: true, on: read.on, found: found.value } : { ok: false, refusals: [found.refusal] };
}

type ReadCase = { readonly ok: true; readonly on: ResultCase; readonly reservation: Reservation } | Refused;

function readCase({ review, facts, reservation, wishes }: Asked): ReadCase {
  const read = readIntent(review, facts, wishes);
  if (!read.ok) return read;
  const { intent } = read;
  const on: ResultCase = { review, intent, reservation: markGivenUp(reservation, intent.takenOver) };
  const isStored = review.operation === 'STORED';
  return { ok: true, on, reservation: { claimant: facts.claimant, intent, writtenKeys: ourKeys(on), isStored } };
}
