import type { VipAddress, VipHolder } from '../../../contract/ipam-api/vips-pages';
import type { AddressRecord, Holder } from '../../../ports/claims';

/**
 * Shows an address on record.
 *
 * @param record - as it is known
 * @returns the answer about it
 */
export function addressAnswer({ address, pool: group, state, holders, quarantine }: AddressRecord): VipAddress {
  const text = { address: address.toString(), group };
  if (quarantine === undefined)
    return { ...text, state: state === 'quarantined' ? state : 'held', holders: holders.map(holderAnswer) };
  const until = Number.isFinite(quarantine.untilMs) ? { until: new Date(quarantine.untilMs).toISOString() } : {};
  return { ...text, state: 'quarantined', ...until, holders: [holderAnswer(quarantine.former)] };
}

function holderAnswer({ owner, sinceMs, sharing }: Holder): VipHolder {
  const { kind, namespace, name } = owner;
  const since = new Date(sinceMs).toISOString();
  return { kind, namespace, name, since, ...(sharing === undefined ? {} : { sharingKey: sharing.key }) };
}
