import type { Grant } from '../../ports/address-book';
import { chosenKeyOf } from './claim-key';
import type { Claim } from './claims';
import { othersOf } from './holder-words';

/**
 * Tells a claimant what it has.
 *
 * @param claim - the holder on its address
 * @param created - whether this very call made it
 * @returns zone, address and state, and who else is there
 */
export function grantOf({ record, holder }: Claim, created: boolean): Grant {
  const key = chosenKeyOf(holder.service.clusterUid, holder.key);
  return {
    network: record.network,
    zone: record.zone,
    family: record.family,
    address: record.address,
    state: holder.state,
    holderId: holder.id,
    ...(key === undefined ? {} : { key }),
    writtenKeys: holder.writtenKeys,
    created,
    sharedWith: othersOf(holder, record),
  };
}
