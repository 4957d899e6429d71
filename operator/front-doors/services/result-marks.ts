import { IPAM, METALLB } from '../../contract/group';
import { parseAddressList } from '../../contract/service-annotations';
import type { Grant } from '../../ports/address-book';
import type { Review } from './review';

const ADDRESS_KEYS: readonly string[] = [IPAM.addresses, METALLB.addresses];
const ZONE_KEYS: readonly string[] = [IPAM.zone, METALLB.pool];

/**
 * Tells results from wishes: a key is a result when the record says that we wrote it and nobody changed it since.
 *
 * @param review - object and stored object
 * @param grants - what the Service holds, with the keys that we wrote
 * @returns the test for a key that stands on the object
 */
export function resultTest({ service, live }: Review, grants: readonly Grant[]): (key: string) => boolean {
  const written = new Set(grants.flatMap(({ writtenKeys }) => writtenKeys));
  return (key) => {
    const value = service.annotations[key];
    if (value === undefined || !written.has(key)) return false;
    return live === undefined ? saysTheSame(key, value, grants) : value === live.annotations[key];
  };
}

// Without a stored object (re-invocation of a CREATE) the record itself is what the value is compared with.
function saysTheSame(key: string, value: string, grants: readonly Grant[]): boolean {
  if (ZONE_KEYS.includes(key)) return grants.some(({ zone }) => zone === value);
  if (!ADDRESS_KEYS.includes(key)) return true;
  const parsed = parseAddressList(value, key);
  return parsed.ok && parsed.value.every((address) => grants.some((grant) => grant.address.equals(address)));
}
