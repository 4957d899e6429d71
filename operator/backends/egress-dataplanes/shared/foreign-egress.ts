import type { Address } from '../../../addressing/address';
import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { sourceOf } from '../../../contract/occupied-source';
import type { ForeignEgress } from '../../../ports/egress-dataplane';

/**
 * Tells what an object has that the door did not make.
 *
 * @param kind - of the object
 * @param object - as it is stored
 * @param has - its addresses, and the one namespace that it is about
 * @returns one entry for each address
 */
export function foreignOf(
  kind: string,
  object: JsonMap,
  { addresses, ...about }: { readonly addresses: readonly Address[]; readonly namespace?: string },
): readonly ForeignEgress[] {
  const { name, uid } = metadataOf(object);
  const source = sourceOf({ kind, namespace: '', name: textOf(name) });
  return addresses.map((address) => ({ kind: 'dataplane', source, uid: textOf(uid), address, ...about }));
}
