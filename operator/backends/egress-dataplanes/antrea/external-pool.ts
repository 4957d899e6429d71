import { parseAddress, type Address } from '../../../addressing/address';
import { parsePrefix, prefixOf } from '../../../addressing/prefix';
import { rangeOf, rangeOfPrefix, type Range } from '../../../addressing/range';
import { EGRESS_MARKS } from '../../../contract/egress';
import { claimName } from '../../../contract/kinds/claim-name';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { optionalField } from '../../../contract/optional-field';
import { MAX_NAME_LENGTH } from '../../../contract/vocabulary';
import { shortenedName } from '../../../contract/shortened-name';
import type { EgressGroup } from '../../../ports/egress-dataplane';
import { ownedMetadata } from '../shared/marks';

/** An ExternalIPPool as far as the driver looks at it. */
export interface ExternalPool {
  readonly name: string;
  /** EgressIPAM that it is for; absent for a pool of others. */
  readonly egressIpam?: string;
  /** False where its EgressIPAM went and left it. */
  readonly isOwned: boolean;
  readonly ranges: readonly Range[];
  readonly object: JsonMap;
}

/**
 * Reads an ExternalIPPool. What cannot be read counts as absent.
 *
 * @param object - as the API server has it
 * @returns what decides about it
 */
export function readExternalPool(object: JsonMap): ExternalPool {
  const { name, annotations, labels } = metadataOf(object);
  const egressIpam = textOf(mapOf(annotations)[EGRESS_MARKS.egressIpam]);
  return {
    name: textOf(name),
    ...optionalField('egressIpam', egressIpam === '' ? undefined : egressIpam),
    isOwned: egressIpam !== '' && mapOf(labels)[EGRESS_MARKS.orphan] !== 'true',
    ranges: listOf(mapOf(object['spec'])['ipRanges']).filter(isMap).flatMap(readRange),
    object,
  };
}

// Of a CIDR Antrea leaves out the first and the last address.
function readRange({ cidr, start, end }: JsonMap): readonly Range[] {
  const prefix = parsePrefix(textOf(cidr));
  if (prefix.ok) return [rangeOfPrefix(prefix.value)];
  const [first, last] = [parseAddress(textOf(start)), parseAddress(textOf(end))];
  if (!first.ok || !last.ok || first.value.family !== last.value.family) return [];
  return first.value.compareTo(last.value) > 0 ? [] : [rangeOf(first.value, last.value)];
}

/**
 * Names the pool of a CIDR.
 *
 * @param group - EgressIPAM and CIDR
 * @param group.egressIpam - its name
 * @param group.cidr - canonical text
 * @returns a name that no other CIDR has
 */
export const poolName = ({ egressIpam, cidr }: Pick<EgressGroup, 'egressIpam' | 'cidr'>): string =>
  shortenedName(`eipam-${claimName({ network: egressIpam, prefix: prefixOf(cidr) })}`, { most: MAX_NAME_LENGTH });

/**
 * Tells whether an address is one of a pool.
 *
 * @param pool - of the EgressIPAM, or of others
 * @param pool.ranges - its addresses
 * @param address - any address
 * @returns true also for the first and last address of a CIDR, which the door writes nowhere
 */
export const hasAddress = ({ ranges }: ExternalPool, address: Address): boolean =>
  ranges.some((range) => range.contains(address));

/**
 * Makes the pool of a CIDR, over the stored one where there is one. Its addresses are those of the whole CIDR, as a range from the first to the last:
 * what is reserved is left out by the door alone, since Antrea lets no range shrink. Ranges that are stored, and all fields of others, stay.
 *
 * @param group - EgressIPAM, CIDR and nodes
 * @param stored - as it is stored; absent for a new one
 * @returns the whole object
 */
export function desiredPool(group: EgressGroup, stored?: ExternalPool): JsonMap {
  const { first, last } = prefixOf(group.cidr);
  const spec = mapOf(stored?.object['spec']);
  const ranges = listOf(spec['ipRanges']);
  const isIn = stored?.ranges.some((range) => range.contains(first) && range.contains(last)) === true;
  const metadata = stored === undefined ? { name: poolName(group) } : metadataOf(stored.object);
  return {
    ...stored?.object,
    metadata: ownedMetadata(metadata, { egressIpam: { name: group.egressIpam, uid: group.uid } }),
    spec: {
      ...spec,
      ipRanges: isIn ? ranges : [...ranges, { start: first.toString(), end: last.toString() }],
      nodeSelector: group.selector,
    },
  };
}
