import { PrefixSet } from '../../addressing/prefix-set';
import { EGRESS_KEYS, NAMESPACE } from '../../contract/egress';
import { metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { optionalField } from '../../contract/optional-field';
import { afterWrite } from '../../errors/after-write';
import type { ObjectEvent } from '../../ports/event-recorder';
import { decideNamespace, outcomeOf, readNamespace, type NamespaceOutcome } from '../../rules/egress';
import type {
  EgressNamespace,
  EgressPlan,
  EgressProblem,
  HeldEgress,
  NamespaceDecision,
} from '../../rules/egress/types';
import type { EgressContext, Ended } from './facts/context';
import type { LookAgain } from './facts/door-parts';
import { keepFinalizer } from './egress-ipam';
import { fillAll, type Filled } from './fill';
import { giveBackAll, heldBy, rebind } from './facts/record';
import { viewOf } from './facts/view';

/** Rounds in which a namespace is decided again at once, since something else changed at the same time. */
const ROUNDS = 5;
/** Pause before the next ones. */
const AGAIN_MS = 250;

/** Pause before a namespace is looked at again whose former addresses a dataplane still has; it is woken before where that lets go. */
const CARRIED_MS = 10_000;

/** A stored namespace as it was when it was looked at. */
interface Seen {
  readonly object: JsonMap;
  readonly namespace: EgressNamespace;
  /** True: read from the API server, and not from the watch. */
  readonly isFresh: boolean;
  /** Mark of the waiting ones from before the look. */
  readonly since: number;
}

/**
 * Brings a namespace to what it asks for: the record first, then its annotation, then what is given back.
 *
 * @param context - of the controller
 * @param name - of the namespace, which may be gone
 * @returns when it is to be looked at again by itself
 * @throws IpamError of record or cluster
 */
export async function reconcileNamespace(context: EgressContext, name: string): Promise<LookAgain> {
  const { parts, waiting } = context;
  const since = waiting.mark();
  let object = parts.namespaces.get('', name);
  for (let round = 0; round < ROUNDS; round++) {
    const isFresh = round > 0;
    if (object === undefined && isFresh) return releaseGone(context, name);
    const ended = object && (await reconcileStored(context, { object, isFresh, since }));
    if (ended === 'done') return {};
    if (ended === 'carried') return { requeueAfterMs: CARRIED_MS };
    ({ object } = await parts.namespaceWriter.read({ namespace: '', name }));
  }
  return { requeueAfterMs: AGAIN_MS };
}

async function reconcileStored(context: EgressContext, stored: Omit<Seen, 'namespace'>): Promise<Ended> {
  const namespace = readNamespace(stored.object);
  try {
    return await reconcileSeen(context, { ...stored, namespace });
  } catch (thrown) {
    const { name, egressIpam } = namespace;
    context.states.set(name, egressIpam === undefined ? undefined : { egressIpam, hasFailed: true });
    throw thrown;
  }
}

// However long a dataplane does not answer, an address that it may still carry is given to no other namespace.
function isLetGo(context: EgressContext, name: string, release: readonly HeldEgress[]): boolean {
  const addresses = release.map(({ address }) => address);
  return addresses.length === 0 || context.carrier.isClear(name, addresses);
}

// Release follows from an uncached read that finds no namespace of the name.
async function releaseGone(context: EgressContext, name: string): Promise<LookAgain> {
  const { parts, inUse, states, waiting } = context;
  inUse.forget(name);
  states.set(name, undefined);
  waiting.leave(name, false);
  const held = heldBy(parts.known, { name, uid: '' });
  if (!isLetGo(context, name, held)) return { requeueAfterMs: CARRIED_MS };
  await giveBackAll(context, name, held);
  return {};
}

async function reconcileSeen(context: EgressContext, seen: Seen): Promise<Ended> {
  const { parts, plans } = context;
  const { namespace, isFresh } = seen;
  const facts = { namespace, held: heldBy(parts.known, namespace) };
  const decision = decideNamespace(facts, viewOf(context, namespace.name));
  // the watch may be behind
  if (isEnding(decision) && !isFresh) return 'again';
  for (const held of decision.rebind) if (!(await rebind(context, namespace, held))) return 'again';
  const plan = namespace.egressIpam === undefined ? undefined : plans.plan(namespace.egressIpam);
  const filled = await fill(context, { namespace, plan, decision });
  return filled === 'again'
    ? 'again'
    : carryOut(context, seen, { outcome: outcomeOf(facts, decision, { filled, plan }), plan });
}

// What ends or takes over something is decided on what the API server has now.
const isEnding = ({ release, rebind: due, list }: NamespaceDecision): boolean =>
  release.length > 0 || due.length > 0 || list === 'removed';

/** A decision of which all slots were tried. */
interface Outcome {
  readonly outcome: NamespaceOutcome;
  readonly plan: EgressPlan | undefined;
}

async function carryOut(context: EgressContext, seen: Seen, { outcome, plan }: Outcome): Promise<Ended> {
  const { list, release, problem } = outcome;
  if (list !== undefined && !(await writeList(context, seen, list))) return 'again';
  // on record to the last, so that no other namespace is given what a dataplane still has
  const isReleased = isLetGo(context, seen.namespace.name, release);
  if (isReleased) await giveBackAll(context, seen.namespace.name, release);
  await tell(context, seen, { plan, problem });
  return isReleased ? 'done' : 'carried';
}

async function fill(
  context: EgressContext,
  of: {
    readonly namespace: EgressNamespace;
    readonly plan: EgressPlan | undefined;
    readonly decision: NamespaceDecision;
  },
): Promise<Filled> {
  const { namespace, plan, decision } = of;
  if (plan === undefined || decision.slots.length === 0) return [];
  if (!(await keepFinalizer(context, plan.name))) return 'again';
  return fillAll(context, decision.slots, { namespace, plan });
}

// Through the status of the namespace, for which no right on namespaces is needed; other keys stay as they are.
async function writeList({ parts }: EgressContext, { object, namespace }: Seen, list: string): Promise<boolean> {
  const { name, uid } = namespace;
  const patch = { metadata: { annotations: { [EGRESS_KEYS.addresses]: list === '' ? null : list } } };
  const resourceVersion = textOf(metadataOf(object)['resourceVersion']);
  const key = { namespace: '', name, uid };
  return afterWrite(await parts.namespaceWriter.patchStatus(key, patch, { resourceVersion })) === 'written';
}

interface Told {
  readonly plan: EgressPlan | undefined;
  readonly problem: EgressProblem | undefined;
}

// To be served is no news for a namespace that never waited.
async function tell(context: EgressContext, seen: Seen, { plan, problem }: Told): Promise<void> {
  const { states, waiting } = context;
  const { namespace, since } = seen;
  const { name, egressIpam } = namespace;
  const before = states.get(name)?.problem;
  states.set(name, egressIpam === undefined ? undefined : { egressIpam, ...optionalField('problem', problem) });
  if (problem !== undefined) {
    waiting.park(namespace, problem, { wants: wantsOf(namespace, problem, plan), since });
    if (before?.message !== problem.message) await tellProblem(context, namespace, problem);
    return;
  }
  waiting.leave(name, true);
  const served = { type: 'Normal', reason: 'Served', message: 'the namespace has its egress addresses' } as const;
  if (before !== undefined) await record(context, namespace, served);
}

function wantsOf({ list }: EgressNamespace, { reason }: EgressProblem, plan: EgressPlan | undefined) {
  const pools = reason === 'PoolExhausted' ? (plan?.pools ?? []) : [];
  return {
    network: plan?.network ?? '',
    space: PrefixSet.of(...pools.map(({ prefix }) => prefix)),
    addresses: list.kind === 'listed' ? list.addresses : [],
  };
}

async function tellProblem(context: EgressContext, namespace: EgressNamespace, problem: EgressProblem): Promise<void> {
  const { meter, logger } = context.parts;
  const { reason, message } = problem;
  meter.count('egress_refusals_total', { reason });
  logger.warn('namespace waits for egress addresses', { namespace: namespace.name, reason, problem: message });
  await record(context, namespace, { type: 'Warning', reason, message });
}

async function record({ parts }: EgressContext, { name, uid }: EgressNamespace, event: ObjectEvent): Promise<void> {
  await parts.events.record({ ...NAMESPACE, namespace: '', name, uid }, event);
}
