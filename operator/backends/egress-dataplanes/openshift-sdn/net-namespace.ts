import { sameAddresses, type Address } from '../../../addressing/address';
import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { optionalField } from '../../../contract/optional-field';
import type { NamespaceEgress } from '../../../ports/egress-dataplane';
import { addressesIn, markedMetadata, marksOf, unmarkedMetadata, type ReadMarks } from '../shared/marks';
import { mergePatch } from '../shared/merge-patch';

/** A NetNamespace as far as the driver looks at it. */
export interface NetNamespace {
  readonly name: string;
  /** Absent where the door has put no addresses on it. */
  readonly marks?: ReadMarks;
  readonly addresses: readonly Address[];
  readonly object: JsonMap;
}

/**
 * Reads a NetNamespace.
 *
 * @param object - as the API server has it
 * @returns what decides about it
 */
export function readNetNamespace(object: JsonMap): NetNamespace {
  return {
    name: textOf(metadataOf(object)['name']),
    ...optionalField('marks', marksOf(object)),
    addresses: addressesIn(object['egressIPs']),
    object,
  };
}

/**
 * Compares a NetNamespace with what its namespace is to send from.
 *
 * @param stored - as it is
 * @param wanted - addresses in the order of their CIDRs; the SDN knows IPv4 alone
 * @returns the patch; undefined where nothing is to be written
 */
export function netNamespacePatch(stored: NetNamespace, wanted: NamespaceEgress): JsonMap | undefined {
  const addresses = wanted.addresses.map(({ address }) => address).filter(({ family }) => family === 4);
  const { object } = stored;
  return mergePatch(object, {
    ...object,
    metadata: markedMetadata(metadataOf(object), wanted),
    egressIPs: sameAddresses(stored.addresses, addresses) ? object['egressIPs'] : addresses.map(String),
  });
}

/**
 * Makes the patch that takes everything of the door off a NetNamespace.
 *
 * @param stored - with marks of the door
 * @returns an empty list of addresses, and no marks
 */
export const releasePatch = ({ object }: NetNamespace): JsonMap | undefined =>
  mergePatch(object, { ...object, metadata: unmarkedMetadata(metadataOf(object)), egressIPs: [] });
