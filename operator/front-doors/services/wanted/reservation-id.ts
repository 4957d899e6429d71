import { randomBytes } from 'node:crypto';

import { IPAM, METALLB } from '../../../contract/group';
import type { ServiceView } from '../../../contract/service';
import type { Review } from './review';

/**
 * How long an id of a CREATE is taken back from the object: re-invocation follows within one API request, and the API
 * server gives a webhook 30 s. Shorter is safer: until the first carrier is bound, a copy of it looks like it.
 */
const FRESH_MS = 30_000;
const FORM = /^([0-9a-z]{1,11})-[0-9a-f]{32}$/u;

/** Ids that may tie a Service without a name, or one that is not bound yet, to its reservation. */
export interface ReservationIds {
  /** Id to reserve under; undefined for a Service that its name or UID identifies. */
  readonly own: string | undefined;
  /**
   * Id that a new object brought along: of a re-invocation, of a copied manifest or invented. It counts only while the
   * record has a reservation under it that no object was given yet.
   */
  readonly carried: string | undefined;
}

/**
 * Finds or makes the random id that ties a Service without a name to its reservation. A stored object's id is ours only
 * when it was a LoadBalancer: a Service of another type may have been stored with any annotation.
 *
 * @param review - object and stored object
 * @param nowMs - time of the review, milliseconds since 1970
 * @returns the id to reserve under, and the one to look for first
 */
export function reservationIds({ operation, service, live }: Review, nowMs: number): ReservationIds {
  if (operation === 'STORED') return { own: service.annotations[IPAM.reservation], carried: undefined };
  if (operation === 'UPDATE') return { own: live?.annotations[IPAM.reservation], carried: undefined };
  if (service.name !== '' || service.generateName === '') return { own: undefined, carried: undefined };
  return {
    own: `${nowMs.toString(36)}-${randomBytes(16).toString('hex')}`,
    carried: carriedId(service, nowMs),
  };
}

// A re-invocation sees all of our results, not the id alone.
function carriedId({ annotations, loadBalancerIP }: ServiceView, nowMs: number): string | undefined {
  if (annotations[METALLB.addresses] === undefined && loadBalancerIP === undefined) return undefined;
  const id = annotations[IPAM.reservation] ?? '';
  const madeAtMs = Number.parseInt(FORM.exec(id)?.[1] ?? '', 36);
  return Math.abs(nowMs - madeAtMs) <= FRESH_MS ? id : undefined;
}
