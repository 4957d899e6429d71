import { PrefixSet } from '../../addressing/prefix-set';
import { EGRESS_FINALIZER, OLD_EGRESS_FINALIZER } from '../../contract/egress';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { EGRESS_IPAM, placingSpec, type EgressIpamSpec } from '../../contract/kinds/egress-ipam';
import { optionalField } from '../../contract/optional-field';
import { isSameStatus, observed, statusIn, withTimes } from '../../contract/stored-status';
import { afterWrite } from '../../errors/after-write';
import { compareText } from '../../rules/by-age';
import { notFound, optInOf, readNamespace } from '../../rules/egress';
import type { EgressPlan, EgressPool, EgressProblem } from '../../rules/egress/types';
import { conditionTime } from '../../runtime/condition-time';
import type { CarrierView } from './facts/carrier';
import { conditionsOf } from './conditions';
import type { EgressContext } from './facts/context';
import type { LookAgain } from './facts/door-parts';
import type { PoolCounts } from './facts/gauges';
import { heldFrom, type HeldFrom } from './facts/held-from';
import { updateClaim } from './facts/record';
import type { ServedNamespaces } from './facts/states';

/** Pause before a status is looked at again: it was overtaken, or its namespaces were not all looked at. */
const AGAIN_MS = 500;
/** Most namespaces that a status names. */
const MOST_SHOWN = 500;
const MOST_MESSAGE = 1024;
/** Time for which an EgressIPAM that is being deleted waits for a dataplane that does not answer. */
const LONG_MS = 300_000;
/** Pause before an EgressIPAM is looked at again that waits for a dataplane; it is woken before where that lets go. */
const REMAINS_MS = 10_000;
/** Most objects that an Event names. */
const MOST_REMAINS = 10;

const finalizersOf = (object: JsonMap): readonly unknown[] => listOf(metadataOf(object)['finalizers']);
const keyOf = (object: JsonMap) => {
  const { name, uid } = metadataOf(object);
  return { namespace: '', name: textOf(name), uid: textOf(uid) };
};

// Counts from the first look of this term, so that the dataplane was tried; what namespaces hold stays on record beyond it.
function hasWaitedLong({ parts, dyingSinceMs }: EgressContext, name: string): boolean {
  const nowMs = parts.clock.nowMs();
  const sinceMs = dyingSinceMs.get(name) ?? nowMs;
  dyingSinceMs.set(name, sinceMs);
  return sinceMs + LONG_MS <= nowMs;
}

/**
 * Puts the finalizer on an EgressIPAM, or back, before it gives an address.
 *
 * @param context - of the controller
 * @param name - of the EgressIPAM
 * @returns false where it is gone, or changed meanwhile
 * @throws IpamError where the cluster does not answer, or refuses the write
 */
export async function keepFinalizer({ parts }: EgressContext, name: string): Promise<boolean> {
  const object = parts.egressIpams.get('', name);
  if (object === undefined || metadataOf(object)['deletionTimestamp'] !== undefined) return false;
  if (finalizersOf(object).includes(EGRESS_FINALIZER)) return true;
  return afterWrite(await parts.egressIpamWriter.addFinalizer(keyOf(object), EGRESS_FINALIZER, object)) === 'written';
}

/**
 * Brings finalizers and status of an EgressIPAM up to date. One that is being deleted goes once its namespaces have let go, whatever its
 * spec says.
 *
 * @param context - of the controller
 * @param name - as the API server has it
 * @returns when it is to be looked at again by itself
 * @throws IpamError where the cluster does not answer, or refuses a write
 */
export async function reconcileEgressIpam(context: EgressContext, name: string): Promise<LookAgain> {
  const { parts, plans, gauges } = context;
  const object = parts.egressIpams.get('', name);
  const plan = plans.plan(name);
  if (object === undefined || plan === undefined) {
    gauges.forget(name);
    context.dyingSinceMs.delete(name);
    return {};
  }
  if (plan.isDying && mayGo(context, plan)) return letGo(context, object, plan);
  const isReady = (plan.isDying || (await keepOwn(context, object))) && isLookedAt(context, name);
  if (!isReady || !(await writeStatus(context, object, plan))) return { requeueAfterMs: AGAIN_MS };
  return plan.isDying ? { requeueAfterMs: REMAINS_MS } : {};
}

function mayGo(context: EgressContext, plan: EgressPlan): boolean {
  if (plan.isRetained) return true;
  const held = heldFrom(context, plan);
  if (held.length === 0) return true;
  // only a dataplane that does not answer is waited for no longer; what goes to another EgressIPAM keeps its address until then
  return hasWaitedLong(context, plan.name) && movingFrom(held, plan).length === 0;
}

// Namespaces that have opted in to another EgressIPAM, which has not given them addresses yet.
const movingFrom = (held: readonly HeldFrom[], { name }: Pick<EgressPlan, 'name'>): readonly HeldFrom[] =>
  held.filter(({ namespace: { egressIpam } }) => egressIpam !== undefined && egressIpam !== name);

// Ours is on before that of the older operator goes.
async function keepOwn(context: EgressContext, object: JsonMap): Promise<boolean> {
  if (!(await keepFinalizer(context, keyOf(object).name))) return false;
  await takeOff(context, object);
  return true;
}

async function letGo(context: EgressContext, object: JsonMap, plan: EgressPlan): Promise<LookAgain> {
  const { name, isRetained } = plan;
  const { nodes, namespaces } = context.carrier.remainsOf(name);
  const held = isRetained ? [] : heldFrom(context, plan);
  const names = new Set([...namespaces, ...held.map(({ namespace }) => namespace.name)]);
  const remains = [
    ...[...names].map((each) => `Namespace ${each}`),
    ...(isRetained ? [] : nodes.map((each) => `Node ${each}`)),
  ];
  if (remains.length > 0 && !hasWaitedLong(context, name)) return { requeueAfterMs: REMAINS_MS };
  // what they hold is given back without the EgressIPAM, once its dataplane has let go
  for (const { namespace, network, address } of held)
    if (!(await updateClaim(context, namespace.name, { network, address, isEnding: true })))
      return { requeueAfterMs: AGAIN_MS };
  if (remains.length > 0) await tellRemains(context, object, remains);
  await takeOff(context, object);
  afterWrite(await context.parts.egressIpamWriter.removeFinalizer(keyOf(object), EGRESS_FINALIZER));
  return {};
}

// Nothing would tell of it any more.
async function tellRemains({ parts }: EgressContext, object: JsonMap, remains: readonly string[]): Promise<void> {
  const named = remains.slice(0, MOST_REMAINS).join(', ');
  const rest = remains.length > MOST_REMAINS ? ` and ${String(remains.length - MOST_REMAINS)} more` : '';
  const message = `the EgressIPAM is deleted although the dataplane still has objects of it: ${named}${rest}`;
  const { group, version, kind } = EGRESS_IPAM;
  const about = { apiVersion: `${group}/${version}`, kind, ...keyOf(object) };
  parts.logger.warn('EgressIPAM is deleted although a dataplane has not let go', {
    egressIpam: about.name,
    remains: named,
  });
  await parts.events.record(about, { type: 'Warning', reason: 'DataplaneResidue', message });
}

async function takeOff({ parts }: EgressContext, object: JsonMap): Promise<void> {
  if (!finalizersOf(object).includes(OLD_EGRESS_FINALIZER)) return;
  afterWrite(await parts.egressIpamWriter.removeFinalizer(keyOf(object), OLD_EGRESS_FINALIZER));
}

// A status that counts some of the namespaces would be written again with each that follows.
function isLookedAt({ parts, states }: EgressContext, name: string): boolean {
  const all = parts.namespaces.list().filter((object) => optInOf(object) === name);
  return all.map(readNamespace).every((each) => each.isDying || states.get(each.name) !== undefined);
}

function countsOf({ parts, inUse }: EgressContext, { name, network }: EgressPlan, pool: EgressPool): PoolCounts {
  const space = PrefixSet.of(pool.prefix);
  const records = parts.known.within(network, space);
  // of two EgressIPAMs whose CIDRs overlap each counts what it gave; the rest is reserved as far as it is concerned
  const own = records.filter(({ door, pool: from }) => door === 'egress' && from === name);
  const used = BigInt(own.filter(({ state }) => state === 'held').length);
  const quarantined = BigInt(own.filter(({ state }) => state === 'quarantined').length);
  const total = space.count();
  const free = inUse.freeOf(pool, { network, held: records.map(({ address }) => address) });
  return { cidr: pool.cidr, total, used, quarantined, free, reserved: total - used - quarantined - free };
}

async function writeStatus(context: EgressContext, object: JsonMap, plan: EgressPlan): Promise<boolean> {
  const { parts, states, gauges, carrier } = context;
  const view = carrier.view(plan.name);
  if (view === undefined) return false;
  const counts = plan.pools.map((pool) => countsOf(context, plan, pool));
  const served = states.of(plan.name);
  const sum = (of: 'total' | 'used' | 'free'): bigint => counts.reduce((before, each) => before + each[of], 0n);
  gauges.tellNamespaces(plan.name, { ...served, isFailing: !plan.readiness.ok || served.failed > 0 });
  gauges.tell(plan.name, counts);
  const before = statusIn(object);
  const { assigned, pending, invalid, unserved } = served;
  const about = observed(object);
  const heldBack = [...context.heldBack.values()].flat().filter(({ egressIpam }) => egressIpam === plan.name);
  const moving = plan.isDying && !plan.isRetained ? movingFrom(heldFrom(context, plan), plan) : [];
  const conditions = conditionsOf(plan, { served, view, heldBack, moving: movesOf(context, moving) }).map((each) => ({
    ...each,
    ...about,
  }));
  const status = {
    ...about,
    conditions: withTimes(before, conditions, conditionTime(parts.clock.nowMs())),
    ...carriedStatus(view),
    pools: plan.pools.map(({ cidr }) => cidr),
    total: String(sum('total')),
    allocated: String(sum('used')),
    free: String(sum('free')),
    cidrs: counts.map(({ cidr, ...of }) => ({
      cidr,
      total: String(of.total),
      reserved: String(of.reserved),
      used: String(of.used),
      free: String(of.free),
      quarantined: String(of.quarantined),
    })),
    namespaces: { assigned, pending, invalid },
    ...optionalField('lastValidSpec', lastValidSpec(object, plan)),
    unserved: unservedRows(unserved, view),
  };
  if (isSameStatus(before, status)) return true;
  const resourceVersion = textOf(metadataOf(object)['resourceVersion']);
  const written = await parts.egressIpamWriter.applyStatus(keyOf(object), status, { resourceVersion });
  return afterWrite(written) !== 'changed';
}

// Kept over a restart, so that addresses go on leaving nodes that fail.
function lastValidSpec(object: JsonMap, { readiness }: EgressPlan): unknown {
  if (!readiness.ok && readiness.reason === 'InvalidEgressIPAM') return statusIn(object)['lastValidSpec'];
  return placingSpec(mapOf(object['spec']) as unknown as EgressIpamSpec);
}

const movesOf = ({ states, plans }: EgressContext, moving: readonly HeldFrom[]) =>
  moving.map(({ address, namespace: { name, egressIpam = '' } }) => {
    const problem = plans.plan(egressIpam) === undefined ? notFound(egressIpam) : states.get(name)?.problem;
    return { address, namespace: name, egressIpam, ...optionalField('problem', problem) };
  });

function carriedStatus({ choice, nodes }: CarrierView): JsonMap {
  if (choice.kind !== 'driver') return { dataplane: 'none' };
  const rows = nodes.slice(0, MOST_SHOWN).map(({ name, cidr, capacity, allocated, isReady }) => ({
    name,
    cidr,
    allocated,
    ready: isReady,
    ...optionalField('capacity', capacity),
  }));
  return { dataplane: choice.dataplane.name, nodes: rows };
}

// One row for each namespace: what it was not given comes before what is on no node.
function unservedRows(unserved: ServedNamespaces['unserved'], { unplaced }: CarrierView): readonly JsonMap[] {
  const rows = new Map<string, Pick<EgressProblem, 'reason' | 'message'>>();
  for (const each of unplaced) rows.set(each.namespace, each);
  for (const { namespace, problem } of unserved) rows.set(namespace, problem);
  return [...rows]
    .sort(([a], [b]) => compareText(a, b))
    .slice(0, MOST_SHOWN)
    .map(([namespace, { reason, message }]) => ({ namespace, reason, message: message.slice(0, MOST_MESSAGE) }));
}
