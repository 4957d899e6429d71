import { isDeepStrictEqual } from 'node:util';
import { sameAddresses, type Address } from '../../../addressing/address';
import { NAMESPACE_NAME_LABEL, type LabelSelector } from '../../../contract/label-selector';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import type { NamespaceEgress } from '../../../ports/egress-dataplane';
import { addressesIn, marksOf, ownedMetadata } from '../shared/marks';
import type { NamespaceObject } from '../shared/namespace-objects';

/** An address on a node, as OVN-Kubernetes tells it. */
interface AssignedItem {
  readonly address: Address;
  readonly node: string;
}

/** An EgressIP as far as the driver looks at it. */
export interface EgressIp extends NamespaceObject {
  readonly addresses: readonly Address[];
  readonly namespaceSelector: LabelSelector;
  readonly items: readonly AssignedItem[];
  /** False while OVN-Kubernetes has not looked at it yet. */
  readonly hasStatus: boolean;
}

/**
 * Reads an EgressIP. What cannot be read counts as absent.
 *
 * @param object - as the API server has it
 * @returns what decides about it
 */
export function readEgressIp(object: JsonMap): EgressIp {
  const spec = mapOf(object['spec']);
  const status = object['status'];
  const marks = marksOf(object);
  const onlyNamespace = onlyNamespaceIn(spec);
  return {
    name: textOf(metadataOf(object)['name']),
    ...(marks === undefined ? {} : { marks }),
    ...(onlyNamespace === undefined ? {} : { onlyNamespace }),
    addresses: addressesIn(spec['egressIPs']),
    namespaceSelector: mapOf(spec['namespaceSelector']),
    items: listOf(mapOf(status)['items']).filter(isMap).flatMap(itemIn),
    hasStatus: isMap(status),
    object,
  };
}

function itemIn({ egressIP, node }: JsonMap): readonly AssignedItem[] {
  const [address] = addressesIn([egressIP]);
  return address === undefined ? [] : [{ address, node: textOf(node) }];
}

// The one namespace that it selects by its name, with all of its Pods.
function onlyNamespaceIn({ namespaceSelector, podSelector }: JsonMap): string | undefined {
  const { matchLabels, matchExpressions } = mapOf(namespaceSelector);
  const isAllPods = Object.keys(mapOf(podSelector)).length === 0;
  const name = mapOf(matchLabels)[NAMESPACE_NAME_LABEL];
  const isOnly = Object.keys(mapOf(matchLabels)).length === 1 && listOf(matchExpressions).length === 0;
  return isAllPods && isOnly && typeof name === 'string' ? name : undefined;
}

/**
 * Names the EgressIP of a namespace. The migration from OpenShift SDN makes names that begin otherwise.
 *
 * @param namespace - its name, at most 63 characters
 * @returns a name that no other namespace has
 */
export const egressIpName = (namespace: string): string => `eipam-${namespace}`;

/**
 * Tells whether an EgressIP is what the migration from OpenShift SDN left for a namespace that has the same addresses now: it is taken over, since
 * OVN-Kubernetes refuses the same address in a second object.
 *
 * @param found - stored EgressIP
 * @param wanted - addresses of the namespace
 * @returns false for one that others made
 */
export function isMigrated(found: EgressIp, { namespace, addresses }: NamespaceEgress): boolean {
  if (found.marks !== undefined || found.onlyNamespace !== namespace) return false;
  const isNamed = found.name === `egressip-${namespace}` || /^egressip-\d+$/u.test(found.name);
  const texts = (list: readonly Address[]): string => list.map(String).sort().join();
  return isNamed && texts(found.addresses) === texts(addresses.map(({ address }) => address));
}

/** How an EgressIP is written. */
export interface EgressIpOptions {
  /** True: the served schema knows `spec.egressNodeSelector`. */
  readonly hasNodeSelector: boolean;
}

/**
 * Makes the EgressIP of a namespace, over the stored one where there is one.
 *
 * @param wanted - addresses of the namespace
 * @param options - of the served schema
 * @param stored - as it is stored; absent for a new one
 * @returns the whole object; fields of OVN-Kubernetes stay, such as its status and its mark
 */
export function desiredEgressIp(
  wanted: NamespaceEgress,
  { hasNodeSelector }: EgressIpOptions,
  stored?: EgressIp,
): JsonMap {
  const { podSelector: _pods, egressNodeSelector: _nodes, ...spec } = mapOf(stored?.object['spec']);
  const addresses = wanted.addresses.map(({ address }) => address);
  const isSame = stored !== undefined && sameAddresses(stored.addresses, addresses);
  const nodes = hasNodeSelector ? nodeSelectorOf(wanted) : undefined;
  return {
    ...stored?.object,
    metadata: ownedMetadata(
      stored === undefined ? { name: egressIpName(wanted.namespace) } : metadataOf(stored.object),
      wanted,
    ),
    spec: {
      ...spec,
      // another text of the same address is no difference
      egressIPs: isSame ? spec['egressIPs'] : addresses.map(String),
      namespaceSelector: { matchLabels: { [NAMESPACE_NAME_LABEL]: wanted.namespace } },
      ...(nodes === undefined ? {} : { egressNodeSelector: nodes }),
    },
  };
}

// One selector for the whole object: it can say nothing about nodes where the CIDRs have different ones.
function nodeSelectorOf({ addresses }: NamespaceEgress): LabelSelector | undefined {
  const selectors = addresses.map(({ group }) => group.selector);
  return selectors.every((each) => isDeepStrictEqual(each, selectors[0])) ? selectors[0] : undefined;
}
