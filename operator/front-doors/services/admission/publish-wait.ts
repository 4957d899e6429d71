import { METALLB } from '../../../contract/group';
import type { Refusal } from '../../../errors/outcome';
import type { Grant } from '../../../ports/address-book';
import type { Attempt } from '../wanted/admission-deadline';
import type { ServicesDoorParts } from '../wanted/door-parts';
import type { AnnotationChanges } from '../wanted/patch';
import type { Review } from '../wanted/review';
import { isServed } from './waiting';

/** Addresses that are about to be written on a Service. */
export interface Announcement {
  readonly review: Review;
  readonly changes: AnnotationChanges;
  readonly grants: readonly Grant[];
}

/**
 * Waits until MetalLB may announce what a served Service is to have from now on: it drops the old address as soon as the keys
 * name one that no pool holds. A Service without an address has nothing to lose and does not wait.
 *
 * @param parts - of the door
 * @param announcement - the keys that will be written, and the addresses behind them
 * @param attempt - is told what it waits for
 * @returns refusal `pool/unpublished` when it was waited for in vain
 */
export async function awaitPublished(
  { pools }: Pick<ServicesDoorParts, 'pools'>,
  announcement: Announcement,
  attempt: Attempt,
): Promise<Refusal | undefined> {
  if (pools === undefined || !replacesAnnounced(announcement)) return undefined;
  for (const { zone, address } of announcement.grants) {
    const refusal = unpublished(zone, address.toString());
    attempt.cause = refusal;
    if (!(await pools.published(zone, address))) return refusal;
  }
  delete attempt.cause;
  return undefined;
}

const KEYS = [METALLB.pool, METALLB.addresses, METALLB.legacyPool, METALLB.legacyAddresses];

function replacesAnnounced({ review: { service, live }, changes }: Announcement): boolean {
  if (live === undefined || !isServed(live)) return false;
  const kept = service.loadBalancerIP === live.loadBalancerIP;
  const same = KEYS.every(
    (key) => (changes.has(key) ? changes.get(key) : service.annotations[key]) === live.annotations[key],
  );
  return !kept || !same;
}

function unpublished(zone: string, address: string): Refusal {
  const message = `address "${address}" is reserved, but MetalLB pool "${zone}" does not hold it yet, and MetalLB would drop the present address of the Service meanwhile; try again in a moment`;
  return { code: 'pool/unpublished', message, value: address };
}
