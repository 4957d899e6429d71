import type { Address } from '../../addressing/address';
import type { AddressRecord } from '../../ports/claims';
import type { Claimant } from '../../ports/address-book';
import { claimsOf, recordsOf, type Claim } from '../records/claims';
import type { LedgerContext } from '../records/ledger-context';
import { belongsToZone } from './zone-gate';

/** An address of a zone, as a request names it. */
export interface ZoneAddress {
  readonly zone: string;
  readonly address: Address;
}

/**
 * Reads an address that a request names by its zone.
 *
 * @param context - the ledger's parts
 * @param at - zone and address
 * @returns the live record; undefined when it is free, it belongs to another zone, or its zone does not exist
 */
export async function recordAt(context: LedgerContext, at: ZoneAddress): Promise<AddressRecord | undefined> {
  const zone = context.zones.current().zone(at.zone);
  if (zone === undefined) return undefined;
  const record = await context.claims.get({ network: zone.network, address: at.address });
  return record !== undefined && belongsToZone(record, at.zone, zone) ? record : undefined;
}

/**
 * Finds the claimant's claim on an address, also where the zone is gone from the document.
 *
 * @param context - the ledger's parts
 * @param at - zone and address
 * @param claimant - whose claim
 * @returns the claim, undefined when the claimant has none there
 */
export async function claimAt(context: LedgerContext, at: ZoneAddress, claimant: Claimant): Promise<Claim | undefined> {
  const zone = context.zones.current().zone(at.zone);
  const record = zone === undefined ? undefined : await recordAt(context, at);
  const records = zone === undefined ? await recordsOf(context, claimant) : [record];
  const there = records.filter(
    (each) => each?.address.equals(at.address) === true && belongsToZone(each, at.zone, zone),
  );
  return claimsOf(
    there.filter((each) => each !== undefined),
    claimant,
  )[0];
}
