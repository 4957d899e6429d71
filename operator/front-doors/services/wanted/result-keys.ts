import { isIn, type Address } from '../../../addressing/address';
import { IPAM, METALLB, WAITING_POOL } from '../../../contract/group';
import { isReadByMetalLb } from '../../../contract/read-by-metallb';
import { parseAddressList } from '../../../contract/service-annotations';
import { familyWord } from '../../../rules/family-facts';
import { ADDRESS_KEYS } from './result-marks';
import type { ServiceIntent } from './intent';
import type { AnnotationChanges } from './patch';
import type { Review } from './review';

/** Everything that decides about the keys of one Service. */
export interface ResultCase {
  readonly review: Review;
  readonly intent: ServiceIntent;
  /** Id of a Service without a name, and of one that is not bound yet. */
  readonly reservation: string | undefined;
}

/**
 * Lists what we write on the object once it is served, so that the record can tell results from wishes.
 *
 * @param on - review, intent and reservation
 * @returns annotation keys
 */
export function ourKeys(on: ResultCase): readonly string[] {
  return wantedValues(on, '')
    .filter(([key, value]) => value !== undefined && isOurs(key, on))
    .map(([key]) => key);
}

/**
 * Computes the result keys of a served Service. A key that a user wrote is left byte for byte while MetalLB can live
 * with it; canonical text (RFC 5952) stands only in keys that we write (GO-02).
 *
 * @param on - review, intent and reservation
 * @param addresses - what the Service has, in the order of the result
 * @returns wanted values; undefined takes a key of ours away
 */
export function resultChanges(on: ResultCase, addresses: readonly Address[]): AnnotationChanges {
  const text = addresses.map(String).join(',');
  const changes = new Map<string, string | undefined>();
  for (const [key, value] of wantedValues(on, text)) {
    const current = on.review.service.annotations[key];
    if (!isOurs(key, on) || (value === undefined && current === undefined)) continue;
    changes.set(
      key,
      value === undefined || !ADDRESS_KEYS.includes(key) ? value : (presentText(on.review, key, addresses) ?? value),
    );
  }
  return changes;
}

// Text that names the same addresses stays, or comes back as it was: another order is no reason for a write.
function presentText({ service, live }: Review, key: string, addresses: readonly Address[]): string | undefined {
  const text = service.annotations[key] ?? live?.annotations[key];
  if (text === undefined || !namesExactly(text, addresses)) return undefined;
  return key !== METALLB.addresses || isReadByMetalLb(text) ? text : undefined;
}

function wantedValues(
  { review, intent, reservation }: ResultCase,
  addresses: string,
): readonly (readonly [key: string, value: string | undefined])[] {
  const { service } = review;
  const stripped = service.annotations[IPAM.allowLocalSharedIp] === undefined;
  return [
    [METALLB.pool, intent.zone],
    // MetalLB refuses annotation and spec.loadBalancerIP together
    [METALLB.addresses, service.loadBalancerIP === undefined ? addresses : undefined],
    [METALLB.sharing, intent.ownSharingKey === '' ? undefined : intent.ownSharingKey],
    [IPAM.addresses, addresses],
    [IPAM.ipFamily, familyWord(intent.plan.families)],
    [IPAM.zone, intent.zone],
    [IPAM.secret, intent.secret],
    [IPAM.retentionPeriodDays, String(intent.options.retentionPeriodDays)],
    [IPAM.denyExternalCleanup, String(intent.options.denyExternalCleanup)],
    ...(stripped ? ([[IPAM.allowLocalSharedIp, intent.ownSharingKey]] as const) : []),
    [IPAM.reservation, reservation],
  ];
}

function isOurs(key: string, { review, intent }: ResultCase): boolean {
  const current = review.service.annotations[key];
  if (current === undefined) return !intent.dropped.includes(key);
  if (intent.isResult(key)) return true;
  switch (key) {
    case IPAM.reservation: // no other writer may say whose reservation an object is
      return true;
    case IPAM.addresses:
      return current.trim() === '';
    case METALLB.addresses: // MetalLB serves neither a text that it cannot read nor one family of two
      return countOf(current) < intent.plan.families.length || !isReadByMetalLb(current);
    case METALLB.pool:
      return current === '' || current === WAITING_POOL;
    default:
      return false;
  }
}

function countOf(list: string): number {
  const parsed = parseAddressList(list, METALLB.addresses);
  return parsed.ok ? parsed.value.length : 0;
}

/**
 * Compares a list of addresses as a key has it with others, whatever their order and spelling.
 *
 * @param list - addresses separated by commas
 * @param addresses - what it may name
 * @returns true when it names all of them and nothing else
 */
export function namesExactly(list: string, addresses: readonly Address[]): boolean {
  const parsed = parseAddressList(list, IPAM.addresses);
  if (!parsed.ok || parsed.value.length !== addresses.length) return false;
  return addresses.every((address) => isIn(address, parsed.value));
}
