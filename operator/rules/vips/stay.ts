import { isIn, type Address } from '../../addressing/address';
import { quoteValue } from '../../contract/quote';
import { VIP_KEYS } from '../../contract/paas';
import { annotationPath } from '../../contract/service-annotations';
import type { HeldAddress, ServiceFacts, VipWish } from './types';

/** Address that a Service goes on with. */
export interface Stay {
  readonly held: HeldAddress;
  /** A sentence on the wish that does not move it. */
  readonly remark?: string;
}

type Wish = VipWish & { readonly ok: true };
/** Part of a wish that is about one family. */
interface Asked {
  readonly address?: Address | undefined;
  readonly group?: string | undefined;
}

/**
 * Finds the address of one family that a Service goes on with. Annotations of other load balancers tell where its first address comes
 * from and move nothing that it has: they may have stood there, unheard, since long before they were read here.
 *
 * @param held - addresses of the family, the best one first
 * @param address - of the family, as the wish has it
 * @param facts - wish and status of the Service
 * @returns the address; undefined where it has none, or is to get another one
 */
export function findStay(
  held: readonly HeldAddress[],
  address: Address | undefined,
  { wish, shown }: Pick<ServiceFacts, 'shown'> & { readonly wish: Wish },
): Stay | undefined {
  const asked = { address, group: wish.group };
  const own = {
    address: wish.addressField === undefined ? address : undefined,
    group: wish.groupField === undefined ? wish.group : undefined,
  };
  const isShown = (each: HeldAddress): boolean => isIn(each.address, shown);
  // a Service that was made anew under its name has its first address still to come
  const isGiven = (each: HeldAddress): boolean => isShown(each) || each.isBoundToUid || each.isReserved === true;
  const parts = [held.filter(isShown), held.filter((each) => !isShown(each))];
  const [kept] = parts.flatMap((part) => [
    ...part.filter((each) => fits(each, asked)),
    ...part.filter((each) => isGiven(each) && fits(each, own)),
  ]);
  if (kept === undefined) return undefined;
  return fits(kept, asked) ? { held: kept } : { held: kept, remark: unheeded(wish, address) };
}

function fits(each: HeldAddress, { address, group }: Asked): boolean {
  return address === undefined ? group === undefined || each.group === group : each.address.equals(address);
}

function unheeded({ addressField, group = '', groupField = '' }: Wish, address: Address | undefined): string {
  const [field, key, asks] =
    address === undefined
      ? [groupField, VIP_KEYS.group, `names IPGroup ${quoteValue(group)}`]
      : [addressField ?? '', VIP_KEYS.addresses, `asks for ${address.toString()}`];
  return `${field} ${asks}, and moves no Service that has an address; ${annotationPath(key)} with the same value does`;
}
