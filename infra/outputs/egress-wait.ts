import type { ApiManifest } from '../../constructs/render/objects/ordered-objects';
import { EGRESS_KEYS, NAMESPACE } from '../../operator/contract/egress';
import { readNamespace } from '../../operator/rules/egress';
import { annotated, annotationsOf, SKIP_AWAIT, WAIT_FOR } from './awaiting';

// A filter looks at the children of what stands before it; of a Namespace, the metadata are the one with annotations.
const LISTS = `jsonpath={$[?@.annotations&&@.annotations['${EGRESS_KEYS.addresses}']]}`;

/** Parts that the provider reads of a stored Namespace. In a preview, and right after it was made without waiting, parts are missing. */
export interface LiveNamespace {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}

/**
 * Tells the provider of Kubernetes how to wait for the addresses of a Namespace.
 *
 * @param object - any object; all but Namespaces stay as they are, and a Namespace that says itself how to wait
 * @param waits - whether to wait at all
 * @returns the object with an annotation for the provider
 */
export function awaitingEgress(object: ApiManifest, waits: boolean): ApiManifest {
  if (object.kind !== NAMESPACE.kind) return object;
  const annotations = annotationsOf(object);
  if (annotations[WAIT_FOR] !== undefined || annotations[SKIP_AWAIT] !== undefined) return object;
  return annotated(object, waits ? { [WAIT_FOR]: LISTS } : { [SKIP_AWAIT]: 'true' });
}

/**
 * Finds the egress addresses of a Namespace.
 *
 * @param namespace - as it is stored
 * @returns one of each CIDR, in their order; none where it has none
 */
export function egressAddresses({ metadata }: LiveNamespace): string[] {
  const { list } = readNamespace({ metadata: metadata ?? {} });
  return list.kind === 'listed' ? list.addresses.map(String) : [];
}
