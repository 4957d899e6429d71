import { isIn } from '../../../addressing/address';
import type { Refusal } from '../../../errors/outcome';
import type { Claimant } from '../../../ports/address-book';
import type { ServicesDoorParts } from '../wanted/door-parts';
import type { Review } from '../wanted/review';

const FIELD = 'spec.externalIPs';
/** Most addresses that are looked up for one review. */
const MOST = 64;

/**
 * Refuses `spec.externalIPs` that another owner holds: kube-proxy would send its traffic to this Service.
 *
 * @param parts - of the door
 * @param review - object and stored object; what was stored before is left alone
 * @param claimant - whose object it is
 * @returns the refusal; undefined where nothing stands against it
 * @throws {@link IpamError} of the store
 */
export async function externalIpProblem(
  { heldByOthers }: Pick<ServicesDoorParts, 'heldByOthers'>,
  { service, live }: Review,
  claimant: Claimant,
): Promise<Refusal | undefined> {
  const before = live?.externalIPs ?? [];
  const fresh = (service.externalIPs ?? []).filter((address) => !isIn(address, before));
  if (heldByOthers === undefined) return undefined;
  for (const address of fresh.slice(0, MOST)) {
    const holders = await heldByOthers(address, claimant);
    if (holders === undefined) continue;
    const value = address.toString();
    const message = `${FIELD} names address "${value}", which ${holders}; take it out, since no other Service may use it`;
    return { code: 'address/held', message, field: FIELD, value };
  }
  return undefined;
}
