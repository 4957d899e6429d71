import { parsePrefix } from '../../addressing/prefix';
import { isMap, mapOf, metadataOf, textOf, type JsonMap } from '../loose-json';
import type { EntryRole } from '../networks/entry';
import { sourceOf } from '../occupied-source';
import { addressIn, type ShownAddresses } from '../shown-addresses';
import { ADDRESS_CLAIM } from './address-claim';

/** Roles of entries that only declare space, where it is more than one address. */
const DECLARING_ROLES: readonly unknown[] = ['prefix', 'subnet'] satisfies readonly EntryRole[];

/**
 * Reads the space of an AddressClaim.
 *
 * @param claim - ipam.vitistack.io/v1alpha1, raw
 * @param sharedNetwork - tells the network of all doors that a NetworkInstance names, by the name of its own network; undefined where it names
 *   none
 * @returns its address or prefix, once for each network where it is in use; nothing for space that is only declared
 */
export function shownByClaim(
  claim: JsonMap,
  sharedNetwork: (network: string) => string | undefined,
): readonly ShownAddresses[] {
  const { address: text, network, door, entry } = mapOf(claim['spec']);
  const block = parsePrefix(textOf(text));
  if (block.ok && DECLARING_ROLES.includes(mapOf(entry)['role'])) return [];
  const space = block.ok ? { addresses: [], blocks: [block.value] } : { addresses: addressIn(text) };
  // entries of NetworkInstances are in a network of their own
  const named = isMap(entry) || door === 'networks' ? [] : [textOf(network)];
  const networks = new Set([...named, ...present(sharedNetwork(textOf(network)))]);
  return [...networks].map((each) => ({ kind: 'claim', source: holderOf(claim), network: each, ...space }));
}

const present = (text: string | undefined): readonly string[] => (text === undefined ? [] : [text]);

function holderOf(claim: JsonMap): string {
  const { holder } = mapOf(claim['spec']);
  if (!isMap(holder))
    return sourceOf({ kind: ADDRESS_CLAIM.kind, namespace: '', name: textOf(metadataOf(claim)['name']) });
  const { kind, namespace, name } = holder;
  return sourceOf({ kind: textOf(kind), namespace: textOf(namespace), name: textOf(name) });
}
