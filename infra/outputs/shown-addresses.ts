import { METALLB } from '../../operator/contract/group';
import { parseAddressList } from '../../operator/contract/service-annotations';

/** Parts that the provider reads of a stored Service. In a preview, and right after it was made without waiting, parts are missing. */
export interface LiveService {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: { readonly ipFamilies?: readonly string[] };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] } };
}

const familyOf = (address: string): string => (address.includes(':') ? 'IPv6' : 'IPv4');

// MetalLB lists families in any order, and so do authors of wishes.
function primaryFirst(addresses: readonly string[], [primary]: readonly string[]): string[] {
  const rank = (address: string): number => (familyOf(address) === primary ? 0 : 1);
  return addresses.toSorted((a, b) => rank(a) - rank(b));
}

// Admission writes in the same moment. The status shows the address before, until MetalLB follows.
function given({ metadata }: LiveService): readonly string[] {
  const parsed = parseAddressList(metadata?.annotations?.[METALLB.addresses] ?? '', METALLB.addresses);
  return parsed.ok ? parsed.value.map(String) : [];
}

const announced = ({ status }: LiveService): readonly string[] =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => (ip ? [ip] : []));

/**
 * Finds the addresses of a Service.
 *
 * @param service - as it is stored
 * @returns its addresses, the one of the primary family first; none where it has none
 */
export function shownAddresses(service: LiveService): string[] {
  const ours = given(service);
  return primaryFirst(ours.length > 0 ? ours : announced(service), service.spec?.ipFamilies ?? []);
}
