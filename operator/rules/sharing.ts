import { LONGEST_LABEL, quoteValue } from '../contract/quote';
import { hasTooManyPorts, MOST_SHARED_PORTS } from '../contract/sharing-terms';
import type { NamespacePlace } from './secrets';
import { samePlace } from './secrets';

/** Terms of a Service for sharing its address. */
export interface ServiceTerms {
  /** MetalLB's sharing key; empty: never shares. */
  readonly key: string;
  /** `port/protocol`, for example `53/UDP`. */
  readonly ports: readonly string[];
  readonly trafficPolicy: 'Cluster' | 'Local';
  /** Canonical text of the pod selector. */
  readonly selector: string;
}

/** One of two Services that would share an address. */
export interface Sharer {
  /** How a message names it. */
  readonly label: string;
  readonly place: NamespacePlace;
  /** Absent where nothing is known of the Service (a claim of the IPAM-API). */
  readonly terms?: ServiceTerms | undefined;
}

/** Why two Services cannot share. */
export interface SharingProblem {
  readonly rule: 'key' | 'ports' | 'policy' | 'selector';
  /** Half a sentence that states the rule and names the other Service. */
  readonly text: string;
}

/**
 * Judges whether a Service may join the address of another one, whose secret it has proven. MetalLB announces one
 * address once per cluster, so its rules bind Services of one cluster only; a claim of the IPAM-API brings no terms, and
 * there the secret alone decides.
 *
 * @param candidate - the one that wants to join
 * @param holder - the one that is there
 * @returns what stands in the way, undefined when they may share
 */
export function sharingProblem(candidate: Sharer, holder: Sharer): SharingProblem | undefined {
  const mine = candidate.terms;
  if (mine === undefined || candidate.place.clusterUid !== holder.place.clusterUid) return undefined;
  const theirs = holder.terms;
  if (mine.key === '' || theirs === undefined || mine.key !== theirs.key)
    return problem('key', keyText(mine, theirs ?? NO_TERMS, holder));
  const port = mine.ports.find((each) => theirs.ports.includes(each));
  if (port !== undefined) {
    return problem(
      'ports',
      `both use port ${port}, but Services on one address need different ports or protocols than ${quoteValue(holder.label, LONGEST_LABEL)}`,
    );
  }
  return policyProblem(mine, theirs, { candidate, holder });
}

function policyProblem(
  mine: ServiceTerms,
  theirs: ServiceTerms,
  { candidate, holder }: { candidate: Sharer; holder: Sharer },
): SharingProblem | undefined {
  if (mine.trafficPolicy !== theirs.trafficPolicy) {
    const both = `this Service has externalTrafficPolicy ${mine.trafficPolicy} and ${quoteValue(holder.label, LONGEST_LABEL)} has ${theirs.trafficPolicy}`;
    return problem(
      'policy',
      `${both}, but Services on one address are all Cluster, or all Local with the same selector`,
    );
  }
  if (mine.trafficPolicy === 'Cluster') return undefined;
  // the same selector in another namespace selects other pods
  if (mine.selector === theirs.selector && samePlace(candidate.place, holder.place)) return undefined;
  const rule = 'Services with externalTrafficPolicy Local on one address need the same pods';
  return problem('selector', `${rule} (same namespace, same selector) as ${quoteValue(holder.label, LONGEST_LABEL)}`);
}

const NO_TERMS = { key: '', ports: [] };

/**
 * Says that a Service has too many ports to share.
 *
 * @param name - how the sentence names it
 * @returns half a sentence
 */
export function manyPortsText(name: string): string {
  return `${name} has more than ${String(MOST_SHARED_PORTS)} ports, and such a Service shares its address with no other, whatever its sharing key`;
}

type KeyedTerms = Pick<ServiceTerms, 'key' | 'ports'>;

function keyText(mine: KeyedTerms, theirs: KeyedTerms, holder: Sharer): string {
  if (hasTooManyPorts(mine)) return manyPortsText('this Service');
  if (mine.key === '')
    return `this Service has no sharing key, and only Services with one equal key share an address with ${quoteValue(holder.label, LONGEST_LABEL)}`;
  if (hasTooManyPorts(theirs)) return manyPortsText(quoteValue(holder.label, LONGEST_LABEL));
  if (theirs.key === '')
    return `${quoteValue(holder.label, LONGEST_LABEL)} has no sharing key and does not share its address`;
  return `the sharing key ${quoteValue(mine.key)} is not the one of ${quoteValue(holder.label, LONGEST_LABEL)}`;
}

function problem(rule: SharingProblem['rule'], text: string): SharingProblem {
  return { rule, text };
}
