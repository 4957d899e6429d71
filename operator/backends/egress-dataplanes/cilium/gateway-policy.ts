import { parseAddress, type Address, type Family } from '../../../addressing/address';
import { EGRESS_MARKS } from '../../../contract/egress';
import type { LabelSelector } from '../../../contract/label-selector';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { optionalField } from '../../../contract/optional-field';
import type { NamespaceEgress } from '../../../ports/egress-dataplane';
import { marksOf, ownedMetadata } from '../shared/marks';
import type { NamespaceObject } from '../shared/namespace-objects';
import { HOSTNAME_LABEL } from './gateway-nodes';

/** Label by which Cilium knows the namespace of a Pod. */
const POD_NAMESPACE_LABEL = 'io.kubernetes.pod.namespace';
/** All destinations; those inside of the cluster are left out by Cilium. */
const EVERYWHERE: Readonly<Record<Family, string>> = { 4: '0.0.0.0/0', 6: '::/0' };

/** A gateway of a policy. */
interface Gateway {
  /** Absent where the gateway has none of its own. */
  readonly address?: Address;
  /** Value of the label by which it chooses one node; absent where it chooses otherwise. */
  readonly host?: string;
  readonly nodeSelector: LabelSelector;
}

/** A policy as far as the driver looks at it. */
export interface GatewayPolicy extends NamespaceObject {
  /** Those that count. */
  readonly gateways: readonly Gateway[];
  /** Namespaces of which it selects Pods by name. */
  readonly selects: readonly string[];
}

/** An address at its gateway. */
export interface PlacedAddress {
  readonly address: Address;
  /** Value of the label by which the policy chooses the node. */
  readonly host: string;
  /** Whether the node has the address on an interface. */
  readonly isPresent: boolean;
}

/**
 * Names the policy of a namespace, one for each family: a gateway has one address, and where it is to carry the other family as well, Cilium
 * takes an address of the node for that one, or drops all where the node has none.
 *
 * @param namespace - its name, which has no dots
 * @param family - of the addresses
 * @returns a name that no other namespace has
 */
export const policyName = (namespace: string, family: Family): string =>
  family === 4 ? `eipam-${namespace}` : `eipam-${namespace}.ipv6`;

/**
 * Reads a policy. What cannot be read counts as absent.
 *
 * @param object - as the API server has it
 * @returns what decides about it
 */
export function readGatewayPolicy(object: JsonMap): GatewayPolicy {
  const { egressGateways, egressGateway, selectors } = mapOf(object['spec']);
  const several = listOf(egressGateways).filter(isMap);
  return {
    name: textOf(metadataOf(object)['name']),
    ...optionalField('marks', marksOf(object)),
    // with a list, Cilium passes over the one beside it
    gateways: (several.length > 0 ? several : [mapOf(egressGateway)]).map(readGateway),
    selects: listOf(selectors).flatMap((each) => {
      const name = mapOf(mapOf(mapOf(each)['podSelector'])['matchLabels'])[POD_NAMESPACE_LABEL];
      return typeof name === 'string' ? [name] : [];
    }),
    object,
  };
}

function readGateway({ egressIP, nodeSelector }: JsonMap): Gateway {
  const parsed = parseAddress(textOf(egressIP));
  const { matchLabels, matchExpressions } = mapOf(nodeSelector);
  const labels = mapOf(matchLabels);
  const isByHost = Object.keys(labels).length === 1 && listOf(matchExpressions).length === 0;
  const host = textOf(labels[HOSTNAME_LABEL]);
  return {
    ...(parsed.ok ? { address: parsed.value } : {}),
    ...(isByHost && host !== '' ? { host } : {}),
    nodeSelector: mapOf(nodeSelector),
  };
}

/** How a policy is written. */
export interface PolicyOptions {
  /** True: the served schema knows several gateways. */
  readonly hasList: boolean;
}

/** What the policy of one family is to be. */
interface WantedPolicy {
  readonly of: NamespaceEgress;
  readonly family: Family;
  /** At least one, in the order of the CIDRs; of one family. */
  readonly placed: readonly PlacedAddress[];
}

/**
 * Makes the policy of a namespace, over the stored one where there is one. An annotation tells which addresses were on interfaces: Cilium looks for
 * them when a policy is written and at no other time, so each write that tells of another one makes it look again.
 *
 * @param wanted - addresses of the namespace
 * @param options - of the served schema
 * @param stored - as it is stored; absent for a new one
 * @returns the whole object
 */
export function desiredPolicy(
  { of, family, placed }: WantedPolicy,
  { hasList }: PolicyOptions,
  stored?: GatewayPolicy,
): JsonMap {
  const { excludedCIDRs: _excluded, ...spec } = mapOf(stored?.object['spec']);
  const gateways = placed.map(({ address, host }) => ({
    nodeSelector: { matchLabels: { [HOSTNAME_LABEL]: host } },
    egressIP: address.toString(),
  }));
  const except = of.exceptDestinations.filter((prefix) => prefix.family === family).map(String);
  const metadata = ownedMetadata(
    stored === undefined ? { name: policyName(of.namespace, family) } : metadataOf(stored.object),
    of,
  );
  const present = placed.filter(({ isPresent }) => isPresent).map(({ address }) => address.toString());
  return {
    ...stored?.object,
    metadata: {
      ...metadata,
      annotations: { ...mapOf(metadata['annotations']), [EGRESS_MARKS.present]: present.sort().join(',') },
    },
    spec: {
      ...spec,
      selectors: [{ podSelector: { matchLabels: { [POD_NAMESPACE_LABEL]: of.namespace } } }],
      destinationCIDRs: [EVERYWHERE[family]],
      ...(except.length === 0 ? {} : { excludedCIDRs: except }),
      // required, and what an agent goes by that does not know the list yet
      egressGateway: gateways[0],
      ...(hasList ? { egressGateways: gateways } : {}),
    },
  };
}
