import type { ClaimState, Grant } from '../../ports/address-book';
import { IpamError } from '../../errors/ipam-error';
import type { Holder } from '../../ports/claims';
import { chosenKeyOf } from './claim-key';
import type { Claim } from './claims';
import { othersOf } from './holder-words';

/**
 * Tells a claimant what it has.
 *
 * @param claim - the holder on its address
 * @param created - whether this very call made it
 * @returns zone, address and state, and the other holders
 */
export function grantOf({ record, holder }: Claim, created: boolean): Grant {
  const key = chosenKeyOf(holder.owner.cluster, holder.key);
  return {
    network: record.network,
    zone: record.pool,
    family: record.family,
    address: record.address,
    state: grantedState(holder),
    holderId: holder.id,
    writtenKeys: holder.writtenKeys ?? [],
    created,
    sharedWith: othersOf(holder, record),
    ...(key === undefined ? {} : { key }),
  };
}

/**
 * Tells the state of a claim that the record grants.
 *
 * @param holder - of a claim
 * @returns its state
 * @throws {@link IpamError} `internal` for a contested holder, which has no claim (caller bug)
 */
export function grantedState({ state }: Holder): ClaimState {
  if (state !== 'contested') return state;
  throw new IpamError('internal', 'a contested holder has no claim');
}
