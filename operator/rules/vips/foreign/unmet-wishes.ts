import type { Address } from '../../../addressing/address';
import type { ForeignLoadBalancer } from '../../../contract/foreign-load-balancers';
import { VIP_KEYS } from '../../../contract/paas';
import { quoteValue } from '../../../contract/quote';
import type { ServiceView } from '../../../contract/service';
import { annotationPath } from '../../../contract/service-annotations';
import { readVipWish } from '../wish';

/**
 * Tells where a Service shows an address that is not the one it asks for, and what the VIPs door makes of that.
 *
 * @param view - the Service
 * @param shown - the address, with the IPGroup that has it
 * @param from - load balancer whose annotations count as well
 * @returns half a sentence about the Service; undefined where the address is what it asks for
 */
export function unmetWish(
  view: ServiceView,
  { address, group }: { readonly address: Address; readonly group: string },
  from: ForeignLoadBalancer,
): string | undefined {
  const wish = readVipWish(view, [from]);
  const has = `it shows ${address.toString()} of IPGroup ${group}`;
  if (!wish.ok) return `${has}, keeps it, and its condition will be False: ${wish.refusal.message}`;
  const asked = wish.addresses.find(({ family }) => family === address.family);
  if (asked !== undefined) {
    if (asked.equals(address)) return undefined;
    const fields = `spec.loadBalancerIP or ${annotationPath(VIP_KEYS.addresses)}`;
    return `${has}, and ${told(wish.addressField, fields, `for ${asked.toString()}`)}`;
  }
  if (wish.group === undefined || wish.group === group) return undefined;
  return `${has}, and ${told(wish.groupField, annotationPath(VIP_KEYS.group), `for IPGroup ${quoteValue(wish.group)}`)}`;
}

// Our own fields move a Service, those of others do not.
function told(foreignField: string | undefined, ownField: string, what: string): string {
  return foreignField === undefined
    ? `asks ${what} (${ownField}): it moves at the first start, unless that is changed before`
    : `${foreignField} asks ${what}: it keeps what it shows`;
}
