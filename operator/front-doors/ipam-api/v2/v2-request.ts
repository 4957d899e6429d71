import type { Address, Family } from '../../../addressing/address';
import { parseHostPrefix } from '../../../addressing/prefix';
import type { RegisterBody, ReleaseBody } from '../../../contract/ipam-api/v2';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { Claimant, ClaimantSecret, ReleaseByService, ReserveRequest } from '../../../ports/address-book';
import type { ClaimOptions } from '../../../ports/claims';

/** Request in a body of `POST /v2/address`. */
export interface RegisterIntent {
  readonly reserve: ReserveRequest;
  /** The secret that is to follow the present one; absent where both are equal. */
  readonly newSecret?: ClaimantSecret;
}

/**
 * Reads what a register body asks for.
 *
 * @param body - the checked body
 * @returns the intent; or refusal `address/malformed`, `prefix/malformed`, `prefix/not-a-host`, `address/wrong-family`
 */
export function registerIntent(body: RegisterBody): Outcome<RegisterIntent> {
  const wish = body.address === undefined ? accept(undefined) : wishOf(body.address, body.ip_family);
  if (!wish.ok) return wish;
  const reserve: ReserveRequest = {
    claimant: claimantOf(body),
    zone: body.zone,
    family: familyOf(body.ip_family),
    ...(wish.value === undefined ? {} : { wish: wish.value }),
    secret: secretOf(body.secret),
    options: optionsOf(body),
    writtenKeys: [],
    as: 'bound',
  };
  const next = body.new_secret;
  return accept(next === undefined || next === body.secret ? { reserve } : { reserve, newSecret: secretOf(next) });
}

/**
 * Reads what a release body asks for.
 *
 * @param body - the checked body
 * @returns the request; or the same refusals as {@link registerIntent}
 */
export function releaseIntent(body: ReleaseBody): Outcome<ReleaseByService> {
  const address = wishOf(body.address, body.ip_family);
  if (!address.ok) return address;
  return accept({
    zone: body.zone,
    family: familyOf(body.ip_family),
    address: address.value,
    service: claimantOf(body).service,
    secret: body.secret,
    options: optionsOf(body),
  });
}

// A network must never be taken for one address, whatever its base is (W-21).
function wishOf(text: string, ipFamily: ReleaseBody['ip_family']): Outcome<Address> {
  const parsed = parseHostPrefix(text);
  if (!parsed.ok || parsed.value.family === familyOf(ipFamily)) return parsed;
  const message = `address "${text}" is IPv${parsed.value.family}, but "ip_family" is "${ipFamily}"; make both agree`;
  return refuse('address/wrong-family', message, { field: 'address', value: text });
}

function familyOf(ipFamily: ReleaseBody['ip_family']): Family {
  return ipFamily === 'ipv4' ? 4 : 6;
}

// Only the UID of the namespace is known here; its name stays empty.
function claimantOf({ service }: Pick<ReleaseBody, 'service'>): Claimant {
  const { service_name: serviceName, namespace_id: namespaceUid, cluster_id: clusterUid } = service;
  return { service: { serviceName, namespaceUid, clusterUid }, namespace: '' };
}

// Clusters share addresses by their secret, so it counts wherever it is shown.
function secretOf(value: string): ClaimantSecret {
  return { value, scope: 'shared' };
}

function optionsOf({ service }: Pick<ReleaseBody, 'service'>): ClaimOptions {
  return {
    retentionPeriodDays: Math.max(0, service.retention_period_days ?? 0),
    denyExternalCleanup: service.deny_external_cleanup ?? false,
  };
}
