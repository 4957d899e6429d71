import { isIn, type Address, type Family } from '../../../addressing/address';
import type { Grant } from '../../../ports/address-book';
import { namedAddresses, type CollectedWishes } from '../../../rules/wishes';
import { isOfZone } from '../../../rules/zone-limits';
import type { Facts } from './facts';
import type { Review } from './review';

/** One address of the Service. */
export interface Slot {
  readonly family: Family;
  /** Address that the user asks for. */
  readonly wish?: Address;
  /** Claim that the stored Service has already and keeps. */
  readonly held?: Grant;
  /** True when `held` is bound to the stored object, so that nothing need be asked while its terms stay. */
  readonly settled: boolean;
  /** True when the stored object names another address than `held`, so that its controller may be releasing that one. */
  readonly returns: boolean;
}

/**
 * Finds what is wished and what is held for one family.
 *
 * @param family - IP version
 * @param on - the review, its facts, its wishes and its zone
 * @returns the slot; only a stored LoadBalancer keeps what it holds without a call (W-11)
 */
export function slotOf(
  family: Family,
  { review, facts, wishes, zone }: { review: Review; facts: Facts; wishes: CollectedWishes; zone: string },
): Slot {
  const asked = wishes.addresses.find((address) => address.family === family);
  const wish = asked ?? shownWish(family, { review, facts, zone });
  const held = review.live === undefined ? undefined : heldAddress(review, facts.grants, { family, zone, wish });
  return {
    family,
    settled: held !== undefined && facts.boundHolders.has(held.holderId),
    returns: held !== undefined && namesOther(review, held),
    ...(wish === undefined ? {} : { wish }),
    ...(held === undefined ? {} : { held }),
  };
}

// Judged as it is stored, the object names its address already.
function namesOther({ operation, live }: Review, { address, family }: Grant): boolean {
  if (operation === 'STORED' || live === undefined) return false;
  const named = namedAddresses(live).flatMap(({ addresses }) => addresses.filter((each) => each.family === family));
  return named.length > 0 && !isIn(address, named);
}

// What the status shows is a working address: an object that names no other one is to keep it, not to get one that is chosen.
function shownWish(
  family: Family,
  { review: { service, shown = [] }, facts, zone: name }: { review: Review; facts: Facts; zone: string },
): Address | undefined {
  const zone = facts.catalogue.zone(name);
  const address = shown.find((each) => each.family === family);
  if (address === undefined || zone === undefined || !isOfZone(zone, address)) return undefined;
  const named = namedAddresses(service).flatMap(({ addresses }) => addresses);
  return named.some((each) => each.family === family) ? undefined : address;
}

function heldAddress(
  { service, live }: Review,
  grants: readonly Grant[],
  { family, zone, wish }: { family: Family; zone: string; wish: Address | undefined },
): Grant | undefined {
  const mine = grants.filter((grant) => grant.family === family && grant.zone === zone && grant.state !== 'retained');
  if (wish !== undefined) return mine.find(({ address }) => address.equals(wish));
  if (mine.length < 2) return mine[0];
  // between two addresses (the old one is let go once the new one is announced) the object says which one it uses
  const named = [service, ...(live === undefined ? [] : [live])]
    .flatMap(namedAddresses)
    .flatMap(({ addresses }) => addresses);
  return mine.find(({ address }) => isIn(address, named));
}
