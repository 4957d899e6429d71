import type { Refusal } from '../../../errors/outcome';
import type { Grant } from '../../../ports/address-book';
import type { CollectedWishes } from '../../../rules/wishes';
import type { Attempt } from '../wanted/admission-deadline';
import type { ServicesDoorParts } from '../wanted/door-parts';
import type { Facts } from '../wanted/facts';
import { readIntent } from '../wanted/intent';
import { reserveAll } from './reserve-wishes';
import { ourKeys, type ResultCase } from '../wanted/result-keys';
import type { Review } from '../wanted/review';

/** What a Service has now, or everything that stands against its wishes. */
export type Taken =
  | { readonly ok: true; readonly on: ResultCase; readonly grants: readonly Grant[] }
  | { readonly ok: false; readonly refusals: readonly [Refusal, ...Refusal[]] };

/**
 * Reserves what a Service wishes: the one path of admission and controller.
 *
 * @param parts - of the door
 * @param asked - the review, its facts, the id of a Service without a name, and the wishes where no key is a result
 * @param attempt - nothing new is begun once its deadline ended
 * @returns the grants in the order of the result, all or none
 * @throws {@link IpamError} of store or cluster
 */
export async function takeWished(
  parts: ServicesDoorParts,
  asked: {
    readonly review: Review;
    readonly facts: Facts;
    readonly reservation: string | undefined;
    readonly wishes?: CollectedWishes;
  },
  attempt: Attempt,
): Promise<Taken> {
  const { review, facts, reservation, wishes } = asked;
  const read = readIntent(review, facts, wishes);
  if (!read.ok) return read;
  const on: ResultCase = { review, intent: read.intent, reservation };
  const { claimant } = facts;
  const isStored = review.operation === 'STORED';
  const request = { claimant, intent: read.intent, writtenKeys: ourKeys(on), isStored };
  const granted = await reserveAll(parts, request, attempt);
  return granted.ok ? { ok: true, on, grants: granted.value } : { ok: false, refusals: [granted.refusal] };
}
