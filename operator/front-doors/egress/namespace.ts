import { PrefixSet } from '../../addressing/prefix-set';
import { EGRESS_KEYS, NAMESPACE } from '../../contract/egress';
import { metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { optionalField } from '../../contract/optional-field';
import { afterWrite } from '../../errors/after-write';
import type { ObjectEvent } from '../../ports/event-recorder';
import { decideNamespace, emptyOptIn, outcomeOf, readNamespace, type NamespaceOutcome } from '../../rules/egress';
import type {
  EgressNamespace,
  EgressPlan,
  EgressProblem,
  HeldEgress,
  NamespaceDecision,
} from '../../rules/egress/types';
import type { EgressContext, Ended } from './facts/context';
import { heldBackText, type HeldBack } from './facts/held-back';
import type { LookAgain } from './facts/door-parts';
import { keepFinalizer } from './egress-ipam';
import { fillAll, type Filled } from './fill';
import { dataplanesOf, giveBackAll, heldBy, updateClaim } from './facts/record';
import { carrierOf, unseenAt } from './facts/seen-dataplanes';
import { viewOf } from './facts/view';
import { DECIDE_AGAIN_MS, DECISION_ROUNDS } from '../../runtime/decision-rounds';

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
  for (let round = 0; round < DECISION_ROUNDS; round++) {
    const isFresh = round > 0;
    if (object === undefined && isFresh) return releaseGone(context, name);
    const ended = object && (await reconcileStored(context, { object, isFresh, since }));
    if (ended === 'done') return {};
    if (ended === 'carried') return { requeueAfterMs: CARRIED_MS };
    ({ object } = await parts.namespaceWriter.read({ namespace: '', name }));
  }
  return { requeueAfterMs: DECIDE_AGAIN_MS };
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
async function isLetGo(
  context: EgressContext,
  { name, uid }: Pick<EgressNamespace, 'name' | 'uid'>,
  release: readonly HeldEgress[],
): Promise<boolean> {
  if (release.length === 0 || context.carrier.isClear(name, release)) {
    context.heldBack.delete(name);
    return true;
  }
  const { parts, heldBack } = context;
  const before = heldBack.get(name) ?? [];
  const now = release.flatMap(({ address, egressIpam, ...of }): readonly HeldBack[] => {
    const dataplanes = unseenAt(parts, { address, ...of });
    return dataplanes.length === 0 ? [] : [{ namespace: name, egressIpam, address, dataplanes }];
  });
  heldBack.set(name, now);
  for (const each of now) {
    const message = heldBackText(each);
    if (before.some((known) => heldBackText(known) === message)) continue;
    parts.meter.count('egress_refusals_total', { reason: 'DataplaneNotDriven' });
    parts.logger.warn('egress address stays on record', { namespace: name, problem: message });
    // of a namespace that is gone the Event has the name alone
    await record(context, { name, uid }, { type: 'Warning', reason: 'DataplaneNotDriven', message });
  }
  return false;
}

// Release follows from an uncached read that finds no namespace of the name.
async function releaseGone(context: EgressContext, name: string): Promise<LookAgain> {
  const { parts, inUse, states, waiting } = context;
  inUse.forget(name);
  states.set(name, undefined);
  waiting.leave(name, false);
  const gone = { name, uid: '' };
  const held = heldBy(parts.known, gone);
  if (!(await isLetGo(context, gone, held))) return { requeueAfterMs: CARRIED_MS };
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
  const plan = namespace.egressIpam === undefined ? undefined : plans.plan(namespace.egressIpam);
  if (!(await updateKept(context, { namespace, decision, plan }))) return 'again';
  const filled = await fill(context, { namespace, plan, decision });
  return filled === 'again'
    ? 'again'
    : carryOut(context, seen, { outcome: outcomeOf(facts, decision, { filled, plan }), plan });
}

// What ends or takes over something is decided on what the API server has now.
const isEnding = ({ release, rebind: due, list }: NamespaceDecision): boolean =>
  release.length > 0 || due.length > 0 || list === 'removed';

/** A namespace that is decided on. */
interface Decided {
  readonly namespace: EgressNamespace;
  readonly decision: NamespaceDecision;
  readonly plan: EgressPlan | undefined;
}

// The UID of the namespace, and which dataplanes may have the address: the one that carries it from now on is on record before it has it.
async function updateKept(
  context: EgressContext,
  { namespace: { name, uid }, decision, plan }: Decided,
): Promise<boolean> {
  const carrier = carrierOf(context.parts, plan);
  for (const held of decision.keep) {
    const before = dataplanesOf(context.parts.known.at(held));
    const others = before.filter((each) => each !== carrier && !context.carrier.hasLetGo(each, name, held));
    const dataplanes = plan === undefined ? before : [...others, ...(carrier === undefined ? [] : [carrier])];
    const isBound = !decision.rebind.includes(held);
    const isSame = dataplanes.length === before.length && dataplanes.every((each) => before.includes(each));
    if (isBound && isSame && held.isEnding !== true) continue;
    const { network, address } = held;
    const update = { network, address, dataplanes, isEnding: false, uid: isBound ? undefined : uid };
    if (!(await updateClaim(context, name, update))) return false;
  }
  return true;
}

/** A decision of which all slots were tried. */
interface Outcome {
  readonly outcome: NamespaceOutcome;
  readonly plan: EgressPlan | undefined;
}

async function carryOut(context: EgressContext, seen: Seen, { outcome, plan }: Outcome): Promise<Ended> {
  const { list, release, problem } = outcome;
  if (list !== undefined && !(await writeList(context, seen, list))) return 'again';
  // on record to the last, so that no other namespace is given what a dataplane still has
  const isReleased = await isLetGo(context, seen.namespace, release);
  if (isReleased) await giveBackAll(context, seen.namespace.name, release);
  await tell(context, seen, { plan, problem });
  return isReleased ? 'done' : 'carried';
}

async function fill(context: EgressContext, { namespace, plan, decision }: Decided): Promise<Filled> {
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
  const empty = emptyOptIn(seen.object);
  if (empty !== undefined) await record(context, namespace, { type: 'Warning', reason: 'EmptyOptIn', message: empty });
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

async function record(
  { parts }: EgressContext,
  { name, uid }: Pick<EgressNamespace, 'name' | 'uid'>,
  event: ObjectEvent,
): Promise<void> {
  await parts.events.record({ ...NAMESPACE, namespace: '', name, uid }, event);
}
