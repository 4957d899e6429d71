import { randomBytes } from 'node:crypto';

import { IPAM } from '../../contract/group';
import type { Review } from './review';

/** How long an id of a CREATE is taken back from the object: re-invocation follows within one API request. */
const FRESH_MS = 60_000;
const FORM = /^([0-9a-z]{1,11})-[0-9a-f]{32}$/u;

/**
 * Finds or makes the random id that ties a Service without a name to its reservation. An id that is not fresh came with
 * a copied manifest and is replaced, since two Services would claim one reservation.
 *
 * @param review - object and stored object
 * @param nowMs - time of the review, milliseconds since 1970
 * @returns the id; undefined for a Service that its name or UID identifies
 */
export function reservationId({ operation, service, stored }: Review, nowMs: number): string | undefined {
  if (operation === 'UPDATE') return stored?.annotations[IPAM.reservation];
  if (service.name !== '' || service.generateName === '') return undefined;
  const carried = service.annotations[IPAM.reservation] ?? '';
  const madeAtMs = Number.parseInt(FORM.exec(carried)?.[1] ?? '', 36);
  if (Math.abs(nowMs - madeAtMs) <= FRESH_MS) return carried;
  return `${nowMs.toString(36)}-${randomBytes(16).toString('hex')}`;
}
