import type { Address } from '../../addressing/address';
import type { Claimant } from '../../ports/address-book';
import type { Claims } from '../../ports/claims';
import type { ZoneSource } from '../../ports/zone-source';
import { isClaimant } from '../records/claims';
import { explain, namesFor } from '../records/holder-words';
import { isOfZone } from '../../rules/zone-limits';

/**
 * Finds out whether an address of a zone is held by another owner alone.
 *
 * @param parts - record and zones
 * @param parts.claims - the record
 * @param parts.zones - whose networks are looked at
 * @param address - which one
 * @param claimant - the Service that asks
 * @returns half a sentence on the holders; undefined where the address is of no zone, is free, or the claimant is one of them
 */
export async function heldByOthers(
  { claims, zones }: { readonly claims: Pick<Claims, 'get'>; readonly zones: ZoneSource },
  address: Address,
  claimant: Claimant,
): Promise<string | undefined> {
  const around = zones.current().zones.filter((zone) => isOfZone(zone, address));
  for (const network of new Set(around.map((zone) => zone.network))) {
    const record = await claims.get({ network, address });
    if (record?.state !== 'held' || record.holders.some((holder) => isClaimant(holder, claimant))) continue;
    return explain(record, namesFor(claimant));
  }
  return undefined;
}
