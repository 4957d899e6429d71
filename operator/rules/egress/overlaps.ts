import { PrefixSet } from '../../addressing/prefix-set';
import { ASSIGNMENTS, spaceOfAssignment } from '../../contract/kinds/egress-assignment';
import type { EgressIpamObject } from '../../contract/kinds/egress-ipam';
import type { ClusterNetwork } from '../../contract/platform-networks';
import type { Refusal } from '../../errors/outcome';

/** The parts of an EgressIPAM by which it is compared with others. */
type Compared = Pick<EgressIpamObject, 'metadata' | 'spec'>;

/**
 * Tells whether an EgressIPAM and another one would give the same addresses.
 *
 * @param own - the one that is judged
 * @param other - the one that stands already
 * @returns a sentence about the CIDRs of `own`; undefined where they share none, or one of the two allows it
 */
export function overlapWith(own: Compared, other: Compared): string | undefined {
  if (own.spec?.allowOverlap === true || other.spec?.allowOverlap === true) return undefined;
  if (networkOf(own) !== networkOf(other)) return undefined;
  const both = spaceOf(own).intersect(spaceOf(other));
  if (both.isEmpty) return undefined;
  return `${ASSIGNMENTS}: ${both.toString()} belongs to EgressIPAM ${other.metadata.name} already; spec.allowOverlap: true of one of them allows it`;
}

const networkOf = ({ spec }: Compared): string => spec?.network ?? 'default';

const spaceOf = ({ spec }: Compared): PrefixSet =>
  PrefixSet.of(...(spec?.cidrAssignments ?? []).flatMap((entry) => spaceOfAssignment(entry)?.pool ?? []));

/**
 * Finds CIDRs that meet a network of Pods or Services.
 *
 * @param own - the EgressIPAM
 * @param networks - as far as they are known
 * @returns one refusal for each CIDR
 */
export function overlapsNetworks({ spec }: Compared, networks: readonly ClusterNetwork[]): readonly Refusal[] {
  return (spec?.cidrAssignments ?? []).flatMap((entry, index) => {
    const pool = spaceOfAssignment(entry)?.pool;
    const met = pool && networks.find(({ prefix }) => prefix.overlaps(pool));
    if (met === undefined) return [];
    const field = `${ASSIGNMENTS}[${String(index)}].CIDR`;
    const message = `${field}: ${entry.CIDR} overlaps ${met.prefix.toString()}, which the cluster uses for Pods or Services (${met.source})`;
    return [{ code: 'egress/overlap' as const, field, value: entry.CIDR, message }];
  });
}
