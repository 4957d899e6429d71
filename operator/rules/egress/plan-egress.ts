import { parsePrefix, type Prefix } from '../../addressing/prefix';
import { PrefixSet, PrefixSetBuilder } from '../../addressing/prefix-set';
import { EGRESS_FORCE } from '../../contract/egress';
import { spaceOfAssignment, type EgressAssignment } from '../../contract/kinds/egress-assignment';
import { readEgressIpam, type EgressIpamObject, type EgressIpamSpec } from '../../contract/kinds/egress-ipam';
import type { ClusterNetwork } from '../../contract/platform-networks';
import { mapOf, textOf } from '../../contract/loose-json';
import { optionalField } from '../../contract/optional-field';
import { compareAge } from '../by-age';
import { overlapsNetworks, overlapWith } from './overlaps';
import type { EgressPlan, EgressPool, EgressReadiness } from './types';

/** An EgressIPAM as the comparison with others needs it. */
interface Read {
  readonly object: EgressIpamObject;
  readonly spec: EgressIpamSpec;
  /** Why the spec cannot be used. */
  readonly problem?: string;
  readonly network: string;
  readonly space: PrefixSet;
}

/** In place of a spec that cannot be used. */
const NO_SPEC: EgressIpamSpec = { topologyLabel: '' };

/**
 * Decides what every EgressIPAM gives. One whose CIDRs overlap an older one gives nothing new, unless one of the two allows it.
 *
 * @param values - all EgressIPAMs as the API server has them; what has no name is passed over
 * @param strongerSpace - tells the space of doors that are stronger than this one, by network
 * @param networks - of Pods and Services, as far as they are known
 * @returns one plan for each, the oldest first
 */
export function planEgress(
  values: readonly unknown[],
  strongerSpace: (network: string) => PrefixSet,
  networks: readonly ClusterNetwork[] = [],
): readonly EgressPlan[] {
  const reads = values.flatMap((value) => readOne(value) ?? []).sort((a, b) => compareAge(ageOf(a), ageOf(b)));
  return reads.map((read, index) => {
    const stronger = strongerSpace(read.network);
    return planOf(read, readinessOf(read, reads.slice(0, index), networks), stronger);
  });
}

function readOne(value: unknown): Read | undefined {
  const reading = readEgressIpam(value);
  if (reading === undefined) return undefined;
  const { object, problems } = reading;
  const problem = problems.length === 0 ? undefined : problems.map(({ message }) => message).join('; ');
  const spec = problem === undefined ? (object.spec ?? NO_SPEC) : NO_SPEC;
  const builder = new PrefixSetBuilder();
  for (const { prefix } of poolsOf(spec, PrefixSet.EMPTY)) builder.add(prefix);
  return {
    object,
    spec,
    ...optionalField('problem', problem),
    network: spec.network ?? 'default',
    space: builder.build(),
  };
}

const ageOf = ({ object: { metadata } }: Read) => ({ name: metadata.name, createdAt: metadata.creationTimestamp });

function readinessOf(read: Read, older: readonly Read[], networks: readonly ClusterNetwork[]): EgressReadiness {
  if (read.problem !== undefined) return { ok: false, reason: 'InvalidEgressIPAM', message: read.problem };
  const messages = [
    ...older.filter(({ problem }) => problem === undefined).map(({ object }) => overlapWith(read.object, object)),
    ...overlapsNetworks(read.object, networks).map(({ message }) => message),
  ];
  const message = messages.find((each) => each !== undefined);
  return message === undefined ? { ok: true } : { ok: false, reason: 'Overlap', message };
}

function planOf(read: Read, readiness: EgressReadiness, stronger: PrefixSet): EgressPlan {
  const { object, spec, network, space, problem } = read;
  const lastValid = problem === undefined ? undefined : lastValidOf(read, readiness, stronger);
  const { name, deletionTimestamp, annotations = {} } = object.metadata;
  return {
    name,
    network,
    readiness,
    pools: poolsOf(spec, stronger),
    overlapsOtherDoor: space.overlaps(stronger),
    topologyLabel: spec.topologyLabel,
    ...optionalField('nodeSelector', spec.nodeSelector),
    ...optionalField('namespaceSelector', spec.namespaceSelector),
    exceptDestinations: prefixesIn(spec.exceptDestinations),
    dataplane: lastValid?.dataplane ?? wordIn(object, 'dataplane'),
    ...optionalField('lastValid', lastValid),
    quarantineMs: 1000 * (spec.quarantineSeconds ?? 0),
    isQuarantineGiven: spec.quarantineSeconds !== undefined,
    cloud: lastValid?.cloud ?? wordIn(object, 'cloud'),
    notReadyMs: 1000 * (spec.failover?.notReadySeconds ?? 0),
    isRebalanced: spec.rebalance === 'OnNodeJoin',
    isRetained: spec.deletionPolicy === 'Retain',
    isDying: deletionTimestamp !== undefined,
    isForced: annotations[EGRESS_FORCE] === 'true',
  };
}

const prefixesIn = (texts: readonly string[] = []): readonly Prefix[] =>
  texts.flatMap((text) => {
    const parsed = parsePrefix(text);
    return parsed.ok ? [parsed.value] : [];
  });

// A status that was edited by hand is judged as a spec is.
function lastValidOf({ object }: Read, readiness: EgressReadiness, stronger: PrefixSet): EgressPlan | undefined {
  const { lastValidSpec: spec } = mapOf(object.status);
  const read = spec === undefined ? undefined : readOne({ metadata: object.metadata, spec });
  return read === undefined || read.problem !== undefined ? undefined : planOf(read, readiness, stronger);
}

// Also of a spec that is wrong in another place.
function wordIn({ spec }: EgressIpamObject, field: 'dataplane' | 'cloud'): string {
  const asked = textOf(mapOf(spec)[field]);
  return asked === '' ? 'auto' : asked;
}

const poolsOf = ({ cidrAssignments = [] }: EgressIpamSpec, stronger: PrefixSet): readonly EgressPool[] =>
  cidrAssignments.flatMap((entry) => poolFrom(entry, stronger) ?? []);

function poolFrom(entry: EgressAssignment, stronger: PrefixSet): EgressPool | undefined {
  const space = spaceOfAssignment(entry);
  if (space === undefined) return undefined;
  const { pool: prefix, reserved } = space;
  const usable = new PrefixSetBuilder().add(prefix).subtract(reserved).subtract(stronger).build();
  return { cidr: prefix.toString(), prefix, labelValue: entry.labelValue, reserved, usable };
}
