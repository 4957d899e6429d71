import { parseAddress, type Address } from '../addressing/address';
import { METALLB } from './group';
import { LOAD_BALANCER_IP, type ServiceView } from './service';
import { annotationPath, parseAddressList, type Annotations } from './service-annotations';

/** One place of a Service, and what stands there. */
export interface ReadPlace {
  /** Its path from the root of the object. */
  readonly field: string;
  /** Empty where MetalLB finds nothing there. */
  readonly text: string;
}

/**
 * Finds the pool that MetalLB reads. Its older key counts only where the stable one is missing: an empty value of the stable one
 * names no pool, and hides the older key all the same.
 *
 * @param service - any
 * @returns the pool; an empty text: MetalLB chooses among the pools that it may assign by itself
 */
export function poolReadByMetalLb({ annotations }: Pick<ServiceView, 'annotations'>): ReadPlace {
  return readKey(annotations, METALLB.pool, METALLB.legacyPool);
}

/**
 * Finds the addresses that MetalLB reads. The keys hide each other as those of the pool do; where what they say is empty, the spec counts.
 * MetalLB refuses a key and the spec together, even with equal values; then the key is told.
 *
 * @param service - any
 * @returns the place with its text as it stands there; an empty text: MetalLB chooses the addresses
 */
export function addressPlaceReadByMetalLb({
  annotations,
  loadBalancerIP = '',
}: Pick<ServiceView, 'annotations' | 'loadBalancerIP'>): ReadPlace {
  const keyed = readKey(annotations, METALLB.addresses, METALLB.legacyAddresses);
  return keyed.text === '' ? { field: LOAD_BALANCER_IP, text: loadBalancerIP } : keyed;
}

/**
 * Reads the addresses that MetalLB is asked for.
 *
 * @param service - any
 * @returns none where it chooses, or where the text is no list of addresses
 */
export function addressesReadByMetalLb(
  service: Pick<ServiceView, 'annotations' | 'loadBalancerIP'>,
): readonly Address[] {
  const { field, text } = addressPlaceReadByMetalLb(service);
  const parsed = parseAddressList(text, field);
  return parsed.ok ? parsed.value : [];
}

/**
 * Tells whether MetalLB can read a list of addresses. It takes blanks around an address, and neither a length nor an empty entry.
 *
 * @param text - value of one of its keys
 * @returns true where every entry is one address
 */
export function isReadByMetalLb(text: string): boolean {
  return text.split(',').every((entry) => parseAddress(entry.trim()).ok);
}

function readKey(annotations: Annotations, stable: string, older: string): ReadPlace {
  const key = annotations[stable] === undefined && annotations[older] !== undefined ? older : stable;
  return { field: annotationPath(key), text: annotations[key] ?? '' };
}
