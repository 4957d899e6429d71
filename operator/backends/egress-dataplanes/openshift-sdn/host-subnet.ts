import { isIn, type Address } from '../../../addressing/address';
import { parsePrefix, type Prefix } from '../../../addressing/prefix';
import { EGRESS_MARKS } from '../../../contract/egress';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import type { EgressGroup } from '../../../ports/egress-dataplane';
import { addressesIn } from '../shared/marks';
import { mergePatch } from '../shared/merge-patch';

/** CIDRs and addresses. */
interface Carried {
  readonly cidrs: readonly Prefix[];
  readonly addresses: readonly Address[];
}

/** A HostSubnet as far as the driver looks at it. */
export interface HostSubnet extends Carried {
  readonly node: string;
  /** What the operator put on the node, by its own record. */
  readonly recorded: Carried;
  readonly hostAddress?: Address;
  readonly object: JsonMap;
}

/** What a node is to carry. */
export interface WantedOnNode {
  readonly groups: readonly EgressGroup[];
  /** Placed by the door; none where the SDN distributes them by itself. */
  readonly addresses: readonly Address[];
  /** True: the SDN distributes the addresses of the CIDRs by itself. */
  readonly isAutomatic: boolean;
}

/** Addresses of namespaces, which decide about those of nodes. */
export interface NamespaceAddresses {
  /** Of namespaces that the door serves. */
  readonly own: readonly Address[];
  /** Of namespaces that it does not serve: they stay where they are. */
  readonly foreign: readonly Address[];
  /** Of namespaces whose EgressIPAM left them: they stay as well. */
  readonly orphaned: readonly Address[];
}

/**
 * Reads a HostSubnet.
 *
 * @param object - as the API server has it
 * @returns what decides about it
 */
export function readHostSubnet(object: JsonMap): HostSubnet {
  const { name, annotations } = metadataOf(object);
  const record = textOf(mapOf(annotations)[EGRESS_MARKS.carries]).split(',');
  const [hostAddress] = addressesIn([object['hostIP']]);
  return {
    node: textOf(name),
    cidrs: cidrsIn(object['egressCIDRs']),
    addresses: addressesIn(object['egressIPs']),
    recorded: { cidrs: cidrsIn(record), addresses: addressesIn(record) },
    ...(hostAddress === undefined ? {} : { hostAddress }),
    object,
  };
}

const cidrsIn = (list: unknown): readonly Prefix[] =>
  listOf(list).flatMap((text) => {
    const parsed = parsePrefix(textOf(text));
    return parsed.ok ? [parsed.value] : [];
  });

/**
 * Tells whether a HostSubnet has something of the door.
 *
 * @param stored - of a node
 * @returns false where the operator put nothing there
 */
export const hasOwn = ({ recorded }: HostSubnet): boolean => recorded.cidrs.length > 0 || recorded.addresses.length > 0;

/**
 * Compares a HostSubnet with what its node is to carry. Both fields are set, since the SDN goes by CIDRs wherever it finds some. What the operator
 * did not put there, and what lies in none of the CIDRs, stays.
 *
 * @param stored - as it is
 * @param wanted - of the node
 * @param of - addresses of namespaces
 * @returns the patch; undefined where nothing is to be written
 */
export function hostSubnetPatch(stored: HostSubnet, wanted: WantedOnNode, of: NamespaceAddresses): JsonMap | undefined {
  const { object, recorded } = stored;
  const groups = cidrsIn(wanted.groups.map(({ cidr }) => cidr)).filter(({ family }) => family === 4);
  const ranges = [...recorded.cidrs, ...groups];
  const orphanRanges = recorded.cidrs.filter((cidr) => of.orphaned.some((address) => cidr.contains(address)));
  const cidrs = [...orphanRanges, ...(wanted.isAutomatic ? groups : [])].filter(isFirst);
  const isOurs = (address: Address): boolean =>
    !isIn(address, of.foreign) &&
    (isIn(address, recorded.addresses) || isIn(address, of.own) || ranges.some((range) => range.contains(address)));
  const isStaying = (address: Address): boolean =>
    !isOurs(address) || isIn(address, of.orphaned) || cidrs.some((cidr) => cidr.contains(address));
  const placed = wanted.isAutomatic ? [] : wanted.addresses.filter(({ family }) => family === 4);
  const orphans = recorded.addresses.filter((address) => isIn(address, of.orphaned));
  const isForeignCidr = (cidr: Prefix): boolean => !ranges.some((each) => each.equals(cidr));
  return mergePatch(object, {
    ...object,
    ...listField('egressCIDRs', object, { added: cidrs, stays: (text) => cidrsIn([text]).every(isForeignCidr) }),
    ...listField('egressIPs', object, { added: placed, stays: (text) => addressesIn([text]).every(isStaying) }),
    metadata: withRecord(metadataOf(object), [...cidrs, ...placed, ...orphans]),
  });
}

type Item = Prefix | Address;

const isFirst = (item: Item, index: number, all: readonly Item[]): boolean =>
  all.findIndex((each) => each.toString() === item.toString()) === index;

/** Change of a list of texts. */
interface ListChange {
  readonly added: readonly Item[];
  /** Also true for a text that cannot be read. */
  readonly stays: (text: string) => boolean;
}

// Another order of the same set is no difference, and neither is an absent list instead of an empty one.
function listField(field: string, object: JsonMap, { added, stays }: ListChange): JsonMap {
  const before = listOf(object[field]).map(textOf);
  const after = [...new Set([...before.filter(stays), ...added.map(String)])];
  const isSame = before.length === after.length && after.every((text) => before.includes(text));
  return isSame ? {} : { [field]: after };
}

function withRecord(metadata: JsonMap, items: readonly Item[]): JsonMap {
  const { [EGRESS_MARKS.carries]: _record, ...annotations } = mapOf(metadata['annotations']);
  const texts = items.filter(isFirst).map(String);
  const isUnmarked = texts.length === 0 && metadata['annotations'] === undefined;
  if (isUnmarked) return metadata;
  return {
    ...metadata,
    annotations: texts.length === 0 ? annotations : { ...annotations, [EGRESS_MARKS.carries]: texts.sort().join(',') },
  };
}
