import type { Address } from '../../addressing/address';
import { PrefixSet } from '../../addressing/prefix-set';
import { EGRESS_FORCE, EGRESS_GROUP, EGRESS_LOAD_BALANCER } from '../../contract/egress';
import { readEgressIpam, type EgressIpamObject } from '../../contract/kinds/egress-ipam';
import { ASSIGNMENTS, spaceOfAssignment, type EgressAssignment } from '../../contract/kinds/egress-assignment';
import type { ClusterNetwork } from '../../contract/platform-networks';
import { quoteValue } from '../../contract/quote';
import type { Refusal } from '../../errors/outcome';
import { overlapsNetworks, overlapWith } from './overlaps';

/** Holders that a sentence names at most. */
const MOST_NAMED = 10;

/** An address and what holds it. */
interface HeldFromIpam {
  readonly address: Address;
  /** In the words of users, for example `Namespace shop`. */
  readonly holder: string;
}

/** Everything that a change of an EgressIPAM is judged by. */
export interface EgressIpamFacts {
  /** The object as it would be stored; undefined for one that is deleted. */
  readonly after: unknown;
  /** The stored object; undefined for a new one. */
  readonly before: unknown;
  /** Every stored EgressIPAM. */
  readonly all: readonly unknown[];
  readonly networks: readonly ClusterNetwork[];
  /** Addresses that Namespaces hold from it. */
  readonly held: readonly HeldFromIpam[];
}

/** Result of a review. */
export interface EgressReview {
  /** Empty where nothing is wrong. */
  readonly problems: readonly Refusal[];
  readonly warnings: readonly string[];
}

/**
 * Judges a change of an EgressIPAM. What was wrong with the stored object already refuses no change of another field.
 *
 * @param facts - old and new object, and what stands around it
 * @returns problems and warnings
 */
export function reviewEgressIpam(facts: EgressIpamFacts): EgressReview {
  const { after, before, held } = facts;
  const [now, old] = [readEgressIpam(after), readEgressIpam(before)];
  if (now === undefined) return old === undefined ? NOTHING : reviewDeletion(old.object, held);
  const found = [...now.problems, ...problemsOf(now.object, facts)];
  const known = new Set(
    old === undefined ? [] : [...old.problems, ...problemsOf(old.object, facts)].map(textOfRefusal),
  );
  const taken = old === undefined ? [] : takenAway(old.object, now.object, held);
  return {
    problems: [...found.filter((each) => !known.has(textOfRefusal(each))), ...taken],
    warnings: old === undefined ? [] : dataplaneWarnings(old.object, now.object, held),
  };
}

const NOTHING: EgressReview = { problems: [], warnings: [] };
const textOfRefusal = ({ message }: Refusal): string => message;

function reviewDeletion({ metadata, spec }: EgressIpamObject, held: readonly HeldFromIpam[]): EgressReview {
  if (held.length === 0 || spec?.deletionPolicy === 'Retain') return NOTHING;
  const message = `EgressIPAM ${metadata.name}: Namespaces lose ${countOf(held)} (spec.deletionPolicy: Retain keeps them): ${named(held)}`;
  return { problems: [], warnings: [message] };
}

const countOf = ({ length }: readonly unknown[]): string =>
  length === 1 ? '1 address' : `${String(length)} addresses`;

function named(held: readonly HeldFromIpam[]): string {
  const some = held.slice(0, MOST_NAMED).map(({ address, holder }) => `${address.toString()} of ${holder}`);
  return held.length > MOST_NAMED ? `${some.join(', ')} and ${String(held.length - MOST_NAMED)} more` : some.join(', ');
}

function problemsOf(object: EgressIpamObject, { all, networks }: EgressIpamFacts): readonly Refusal[] {
  return [...loadBalancerProblems(object), ...overlapProblems(object, all), ...overlapsNetworks(object, networks)];
}

function loadBalancerProblems({ metadata: { annotations = {} } }: EgressIpamObject): readonly Refusal[] {
  const { key, values } = EGRESS_LOAD_BALANCER;
  const value = annotations[key];
  if (value === undefined || values.includes(value)) return [];
  const field = `metadata.annotations[${key}]`;
  const message = `${field}: ${quoteValue(value)} is not allowed; give ${values.join(' or ')}`;
  return [{ code: 'egress/invalid', field, value, message }];
}

function overlapProblems(object: EgressIpamObject, all: readonly unknown[]): readonly Refusal[] {
  return all.flatMap((value) => {
    const other = readEgressIpam(value)?.object;
    if (other === undefined || other.metadata.name === object.metadata.name) return [];
    const message = overlapWith(object, other);
    return message === undefined ? [] : [{ code: 'egress/overlap' as const, field: ASSIGNMENTS, message }];
  });
}

// Addresses that a Namespace may keep only because the object says so today.
function takenAway(
  before: EgressIpamObject,
  after: EgressIpamObject,
  held: readonly HeldFromIpam[],
): readonly Refusal[] {
  if (after.metadata.annotations?.[EGRESS_FORCE] === 'true') return [];
  const isMoved = networkOf(before) !== networkOf(after);
  const [old, now] = [givenBy(before), givenBy(after)];
  const lost = held.filter(({ address }) => (isMoved || old.contains(address)) && (isMoved || !now.contains(address)));
  if (lost.length === 0) return [];
  const command = `kubectl annotate egressipams.${EGRESS_GROUP} ${after.metadata.name} ${EGRESS_FORCE}=true`;
  const message = `${isMoved ? 'spec.network' : ASSIGNMENTS}: the change takes away ${countOf(lost)} that Namespaces hold: ${named(lost)}; to release them all the same: ${command}`;
  return [{ code: 'egress/in-use', field: isMoved ? 'spec.network' : ASSIGNMENTS, message }];
}

const networkOf = ({ spec }: EgressIpamObject): string => spec?.network ?? 'default';

function givenBy({ spec }: EgressIpamObject): PrefixSet {
  const spaces = (spec?.cidrAssignments ?? []).flatMap((entry: EgressAssignment) => spaceOfAssignment(entry) ?? []);
  const reserved = PrefixSet.of(...spaces.map((each) => each.reserved));
  return PrefixSet.of(...spaces.map(({ pool }) => pool)).subtract(reserved);
}

function dataplaneWarnings(
  before: EgressIpamObject,
  after: EgressIpamObject,
  held: readonly HeldFromIpam[],
): readonly string[] {
  const [old, now] = [before, after].map(({ spec }) => spec?.dataplane ?? 'auto');
  if (old === now || held.length === 0) return [];
  return [
    `spec.dataplane: ${countOf(held)} in use move from ${String(old)} to ${String(now)}, which interrupts their traffic`,
  ];
}
