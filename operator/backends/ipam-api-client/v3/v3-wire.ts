import { addressOf } from '../../../addressing/address';
import type { GrantAnswer } from '../../../contract/ipam-api/v3/answers';
import type { ClaimBody, WireClaimant, WireOptions, WireSharing } from '../../../contract/ipam-api/v3/bodies';
import { HANDLE_MARK } from '../../../contract/ipam-api/v3/pieces';
import type { BindTerms, Claimant, Grant, ReserveRequest } from '../../../ports/address-book';
import type { ClaimOptions, SharingTerms } from '../../../ports/claims';
import { wordOf } from '../../../contract/ipam-api/v3/family-word';

/**
 * Writes the claimant.
 *
 * @param claimant - the Service; its cluster stands in the path
 * @returns its form on the wire
 */
export function wireClaimant({ service, namespace, serviceUid, reservation }: Claimant): WireClaimant {
  const { namespaceUid, serviceName } = service;
  return {
    namespaceUid,
    namespace,
    serviceName,
    ...(serviceUid === undefined ? {} : { serviceUid }),
    ...(reservation === undefined || reservation === '' ? {} : { reservation }),
  };
}

/**
 * Writes what is reserved.
 *
 * @param request - of the book
 * @returns its form on the wire
 */
export function wireClaim(request: ReserveRequest): ClaimBody {
  const { claimant, zone, family, wish, secret, previousSecret, options, sharing, writtenKeys, as } = request;
  const { returns, adopt } = request;
  return {
    claimant: wireClaimant(claimant),
    zone,
    family: wordOf(family),
    secret,
    as,
    options: wireOptions(options),
    writtenKeys: [...writtenKeys],
    ...(wish === undefined ? {} : { address: wish.toString() }),
    ...(previousSecret === undefined ? {} : { previousSecret }),
    ...(sharing === undefined ? {} : { sharing: wireSharing(sharing) }),
    ...(returns === undefined ? {} : { returns }),
    ...(adopt === undefined ? {} : { adopt }),
  };
}

/**
 * Writes the terms of a stored object.
 *
 * @param terms - of the book
 * @returns their form on the wire
 */
export function wireTerms({ secret, options, sharing, writtenKeys }: BindTerms) {
  return {
    options: wireOptions(options),
    writtenKeys: [...writtenKeys],
    ...(secret === undefined ? {} : { secret }),
    ...(sharing === undefined ? {} : { sharing: wireSharing(sharing) }),
  };
}

/**
 * Writes options, without whatever else the object holds.
 *
 * @param options - of a claim
 * @returns their form on the wire
 */
export function wireOptions({ retentionPeriodDays, denyExternalCleanup }: ClaimOptions): WireOptions {
  return { retentionPeriodDays, denyExternalCleanup };
}

/**
 * Reads what a caller has.
 *
 * @param answer - of the server
 * @returns the grant; its claim is found again by network, address and holder
 */
export function grantOf(answer: GrantAnswer): Grant {
  const { key, network, zone, address, state, holderId, writtenKeys, created, sharedWith } = answer;
  const value = addressOf(address);
  const chosen = key.startsWith(HANDLE_MARK) ? {} : { key };
  const where = { network, zone, family: value.family, address: value };
  return { ...where, state, holderId, ...chosen, writtenKeys, created, sharedWith };
}

function wireSharing({ key, ports, trafficPolicy, selector }: SharingTerms): WireSharing {
  return { key, ports: [...ports], trafficPolicy, selector };
}
