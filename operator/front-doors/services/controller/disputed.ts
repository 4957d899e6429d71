import { catalogueRow } from '../../../errors/catalogue';
import type { Refusal } from '../../../errors/outcome';
import type { Grant } from '../../../ports/address-book';
import type { DisputedPlace } from '../../../ports/disputes';
import type { ServicesDoorParts } from '../wanted/door-parts';
import type { Known } from './known-services';
import type { StoredObject } from './stored-object';

/**
 * Finds the other owners of addresses of a Service, by what systems outside say. It keeps them all the same.
 *
 * @param parts - of the door
 * @param grants - what is bound to the Service
 * @returns one reason for each disputed address
 */
export function disputesOver(
  { disputes }: Pick<ServicesDoorParts, 'disputes'>,
  grants: readonly Grant[],
): readonly Refusal[] {
  return grants.map((grant) => disputes?.over(grant)).filter((each) => each !== undefined);
}

/**
 * Tells whether a Service has an address; several may share one.
 *
 * @param known - memory of the Service
 * @param place - network and address
 * @returns true when the address is bound to it
 */
export function uses({ have }: Known, { network, address }: DisputedPlace): boolean {
  return have?.grants.some((grant) => grant.network === network && grant.address.equals(address)) === true;
}

/**
 * Tells whether the condition of a Service tells of a dispute that this process could not look for yet: then it stays, since an
 * end that is followed by a new beginning would be two Events about nothing.
 *
 * @param parts - of the door
 * @param object - the stored Service
 * @returns true while nothing is known
 */
export function isUndecided({ disputes }: Pick<ServicesDoorParts, 'disputes'>, { condition }: StoredObject): boolean {
  return disputes?.known() === false && condition?.reason === catalogueRow('address/foreign').reason;
}
