import { isIn } from '../../addressing/address';
import { EGRESS_KEYS } from '../../contract/egress';
import { selectorMatches } from '../../contract/label-selector';
import { quoteValue } from '../../contract/quote';
import { optionalField } from '../../contract/optional-field';
import { judgeList, poolAt, type ListFacts } from './judge-list';
import { listText } from './read-namespace';
import { slotsOf } from './slots';
import type { EgressNamespace, EgressPlan, EgressProblem, EgressView, HeldEgress, NamespaceDecision } from './types';

/** Everything that decides about one namespace. */
export interface NamespaceFacts {
  readonly namespace: EgressNamespace;
  /** Addresses that the record grants to a namespace of this name. */
  readonly held: readonly HeldEgress[];
}

/**
 * Decides what happens to one namespace. The same facts always lead to the same decision, and once it is carried out the next one changes
 * nothing.
 *
 * @param facts - the namespace, and what it holds
 * @param view - EgressIPAMs, and the use of addresses
 * @returns what is taken, written and given back, in this order
 */
export function decideNamespace(facts: NamespaceFacts, view: EgressView): NamespaceDecision {
  const { namespace, held } = facts;
  // what it holds is released once it is really gone
  if (namespace.isDying) return stays(facts);
  const { egressIpam } = namespace;
  if (egressIpam === undefined) return leaves(namespace, held);
  const plan = view.plan(egressIpam);
  if (plan === undefined) return dangles(facts, notFound(egressIpam));
  if (plan.isDying) return plan.isRetained ? stays(facts) : leaves(namespace, held);
  const problem = whyNothingNew(namespace, plan);
  return problem === undefined ? serve({ ...facts, plan, view }) : stays(facts, problem);
}

const stays = ({ held }: NamespaceFacts, problem?: EgressProblem): NamespaceDecision => ({
  rebind: [],
  keep: held,
  slots: [],
  release: [],
  list: 'untouched',
  ...optionalField('problem', problem),
});

// What its EgressIPAM left behind in a dataplane goes without it.
function dangles(facts: NamespaceFacts, problem: EgressProblem): NamespaceDecision {
  const release = facts.held.filter(({ isEnding = false }) => isEnding);
  return { ...stays(facts, problem), keep: facts.held.filter((each) => !release.includes(each)), release };
}

// A list that tells something else is not ours to take off.
function leaves({ list }: EgressNamespace, held: readonly HeldEgress[]): NamespaceDecision {
  const addresses = held.map(({ address }) => address);
  const isOurs = list.kind === 'listed' && list.addresses.every((address) => isIn(address, addresses));
  return { rebind: [], keep: [], slots: [], release: held, list: isOurs ? 'removed' : 'untouched' };
}

/**
 * Says that an EgressIPAM does not exist.
 *
 * @param name - as the namespace names it
 * @returns why the namespace waits
 */
export const notFound = (name: string): EgressProblem => ({
  state: 'pending',
  reason: 'EgressIPAMNotFound',
  message: `metadata.annotations[${EGRESS_KEYS.egressIpam}]: EgressIPAM ${quoteValue(name)} does not exist`,
});

/**
 * Tells why a namespace is given nothing new, whatever it lists.
 *
 * @param namespace - as it is stored
 * @param plan - of the EgressIPAM that it opts in to
 * @returns undefined where it may have addresses
 */
export function whyNothingNew(namespace: EgressNamespace, plan: EgressPlan): EgressProblem | undefined {
  const { name, readiness, namespaceSelector } = plan;
  if (!selectorMatches(namespaceSelector, namespace.labels)) {
    const message = `EgressIPAM ${name} does not serve this namespace (spec.namespaceSelector)`;
    return { state: 'invalid', reason: 'NamespaceNotSelected', message };
  }
  if (readiness.ok) return undefined;
  const message = `EgressIPAM ${name} gives no addresses: ${readiness.message}`;
  return { state: 'pending', reason: readiness.reason, message };
}

function serve(facts: ListFacts): NamespaceDecision {
  const judged = judgeList(facts);
  if (!judged.ok) return stays(facts, judged.problem);
  const { keep, slots, release } = slotsOf(judged.listed, facts);
  const { view, plan, held } = facts;
  const problem = slots.length > 0 ? view.usesProblem(plan) : undefined;
  if (problem !== undefined) return stays(facts, unknown(plan, problem));
  return {
    rebind: held.filter((each) => !each.isBoundToUid && keep.includes(each)),
    keep,
    slots,
    release,
    list: 'told',
  };
}

const unknown = ({ name }: EgressPlan, problem: string): EgressProblem => ({
  state: 'pending',
  reason: 'UsesUnknown',
  message: `EgressIPAM ${name} gives no address before it is known which addresses are in use: ${problem}`,
});

/** Result of a decision. */
export interface NamespaceOutcome {
  /** Addresses that the namespace has now. */
  readonly addresses: readonly HeldEgress['address'][];
  /** Annotation to write; an empty text takes it off. Absent: it stays. */
  readonly list?: string;
  readonly release: readonly HeldEgress[];
  readonly problem?: EgressProblem;
}

/**
 * Tells what a namespace has once its slots were tried.
 *
 * @param facts - that were decided on
 * @param decision - what was decided
 * @param given - address of each slot, in the order of the slots; absent where no offer succeeded, and those taken were given back
 * @param given.filled - the addresses
 * @param given.plan - the EgressIPAM that gave them; undefined where the namespace has none
 * @returns addresses, the annotation, and what is given back after both are in force
 */
export function outcomeOf(
  { namespace }: Pick<NamespaceFacts, 'namespace'>,
  decision: NamespaceDecision,
  given: { readonly filled: readonly (HeldEgress['address'] | undefined)[]; readonly plan: EgressPlan | undefined },
): NamespaceOutcome {
  const { keep, slots, release, list, problem } = decision;
  const kept = keep.map(({ address }) => address);
  const short = slots.find((_, index) => given.filled[index] === undefined);
  if (short !== undefined) {
    const message = `${short.pool.cidr} of EgressIPAM ${given.plan?.name ?? ''} has no free address`;
    return { addresses: kept, release: [], problem: { state: 'pending', reason: 'PoolExhausted', message } };
  }
  const addresses = inOrder([...kept, ...given.filled.flatMap((address) => address ?? [])], given.plan);
  const text =
    list === 'removed' ? '' : list === 'told' && !tells(namespace, addresses) ? listText(addresses) : undefined;
  return { addresses, release, ...optionalField('list', text), ...optionalField('problem', problem) };
}

/**
 * Orders addresses as the spec does; what lies in none of its CIDRs any more comes last.
 *
 * @param addresses - in any order
 * @param plan - of the EgressIPAM; without one they stay in their order
 * @returns the same addresses
 */
export function inOrder(
  addresses: readonly HeldEgress['address'][],
  plan: EgressPlan | undefined,
): readonly HeldEgress['address'][] {
  if (plan === undefined) return addresses;
  const place = (address: HeldEgress['address']): number => {
    const pool = poolAt(plan, address);
    return pool === undefined ? plan.pools.length : plan.pools.indexOf(pool);
  };
  return [...addresses].sort((a, b) => place(a) - place(b) || a.compareTo(b));
}

// A list that means the same is not written over, whatever its order and its blanks are.
function tells({ list }: EgressNamespace, addresses: readonly HeldEgress['address'][]): boolean {
  const listed = list.kind === 'listed' ? list.addresses : [];
  return listed.length === addresses.length && addresses.every((address) => isIn(address, listed));
}
