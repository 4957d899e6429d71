import type { ApiManifest } from '../../constructs/render/objects/ordered-objects';
import { ADDRESS_ALLOCATED, VIP_KEYS } from '../../operator/contract/paas';
import { parseAddressList } from '../../operator/contract/service-annotations';
import { annotated, annotationsOf, SKIP_AWAIT, WAIT_FOR } from './awaiting';

const shows = (address: string): string => `jsonpath={$.status.loadBalancer.ingress[?(@.ip=='${address}')]}`;

/**
 * Tells the provider of Kubernetes how to wait for the address of a Service of the VIPs door. Its own waiting also needs endpoints, so an
 * address would wait for Pods that may need it.
 *
 * @param object - any object; all but Services stay as they are, and a Service that says itself how to wait
 * @param waits - whether to wait at all
 * @returns the object with an annotation for the provider
 */
export function awaitingVip(object: ApiManifest, waits: boolean): ApiManifest {
  if (object.kind !== 'Service') return object;
  const annotations = annotationsOf(object);
  if (annotations[WAIT_FOR] !== undefined || annotations[SKIP_AWAIT] !== undefined) return object;
  const wished = parseAddressList(annotations[VIP_KEYS.addresses] ?? '', VIP_KEYS.addresses);
  const tests = [
    `condition=${ADDRESS_ALLOCATED}`,
    'jsonpath={.status.loadBalancer.ingress[0].ip}',
    // after another wish the condition may be about the address before, for a moment
    ...(wished.ok ? wished.value.map((address) => shows(address.toString())) : []),
  ];
  return annotated(object, waits ? { [WAIT_FOR]: JSON.stringify(tests) } : { [SKIP_AWAIT]: 'true' });
}
