import type { Address } from '../../../addressing/address';
import { NAMESPACE_NAME_LABEL, type LabelSelector } from '../../../contract/label-selector';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { optionalField } from '../../../contract/optional-field';
import { conditionOf } from '../../../contract/stored-status';
import type { CarriedNow, NamespaceEgress } from '../../../ports/egress-dataplane';
import { addressesIn, marksOf, ownedMetadata } from '../shared/marks';
import type { NamespaceObject } from '../shared/namespace-objects';

/** An Egress as far as the driver looks at it. */
export interface Egress extends NamespaceObject {
  /** Of its spec; Antrea writes one there where the author named a pool alone. */
  readonly addresses: readonly Address[];
  /** Names of the pools of its addresses. */
  readonly pools: readonly string[];
  readonly namespaceSelector: LabelSelector;
  /** Where Antrea has its address, which may be the former one for a moment. */
  readonly carried?: CarriedNow;
  /** Why Antrea has its address on no node, in its own words. */
  readonly refusal?: string;
}

/**
 * Reads an Egress. What cannot be read counts as absent.
 *
 * @param object - as the API server has it
 * @returns what decides about it
 */
export function readEgress(object: JsonMap): Egress {
  const { egressIP, egressIPs, externalIPPool, externalIPPools, appliedTo } = mapOf(object['spec']);
  const addresses = addressesIn([egressIP, ...listOf(egressIPs)]);
  const pools = [externalIPPool, ...listOf(externalIPPools)].map(textOf);
  return {
    name: textOf(metadataOf(object)['name']),
    ...optionalField('marks', marksOf(object)),
    addresses,
    pools: pools.filter((name) => name !== ''),
    namespaceSelector: mapOf(mapOf(appliedTo)['namespaceSelector']),
    ...optionalField('carried', carriedIn(mapOf(object['status']), addresses)),
    ...optionalField('refusal', refusalIn(mapOf(object['status']))),
    object,
  };
}

function carriedIn(status: JsonMap, addresses: readonly Address[]): CarriedNow | undefined {
  const [node, [address]] = [textOf(status['egressNode']), addressesIn([status['egressIP']])];
  if (node === '' || address === undefined) return undefined;
  const isWanted = addresses.some((each) => each.equals(address));
  return { node, address, isEffective: isWanted && conditionOf(status, 'IPAssigned')?.['status'] !== 'False' };
}

function refusalIn(status: JsonMap): string | undefined {
  const failed = ['IPAllocated', 'IPAssigned']
    .map((type) => conditionOf(status, type))
    .find((condition) => condition?.['status'] === 'False');
  if (failed === undefined) return undefined;
  const { message, reason } = failed;
  return textOf(message) === '' ? textOf(reason) : textOf(message);
}

/**
 * Names the Egress of a namespace.
 *
 * @param namespace - its name
 * @returns a name that no other namespace has
 */
export const egressName = (namespace: string): string => `eipam-${namespace}`;

/** The address of a namespace that carries its traffic, and the pool that it is in. */
export interface ActiveAddress {
  readonly address: Address;
  readonly pool: string;
}

/**
 * Makes the Egress of a namespace, over the stored one where there is one.
 *
 * @param wanted - the namespace
 * @param active - address and pool, which change together
 * @param stored - as it is stored; absent for a new one
 * @returns the whole object; what Antrea and others wrote stays
 */
export function desiredEgress(wanted: NamespaceEgress, { address, pool }: ActiveAddress, stored?: Egress): JsonMap {
  const { egressIPs: _addresses, externalIPPools: _pools, ...spec } = mapOf(stored?.object['spec']);
  const metadata = stored === undefined ? { name: egressName(wanted.namespace) } : metadataOf(stored.object);
  const isSame = stored?.addresses.length === 1 && stored.addresses[0]?.equals(address) === true;
  return {
    ...stored?.object,
    metadata: ownedMetadata(metadata, wanted),
    spec: {
      ...spec,
      appliedTo: { namespaceSelector: { matchLabels: { [NAMESPACE_NAME_LABEL]: wanted.namespace } } },
      // another text of the same address is no difference
      egressIP: isSame ? (spec['egressIP'] ?? address.toString()) : address.toString(),
      externalIPPool: pool,
    },
  };
}
