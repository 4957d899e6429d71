import { PrefixSet } from '../../addressing/prefix-set';
import { EGRESS_FINALIZER, OLD_EGRESS_FINALIZER } from '../../contract/egress';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { isSameStatus, observed, statusIn, withTimes } from '../../contract/stored-status';
import { afterWrite } from '../../errors/after-write';
import { readNamespace } from '../../rules/egress';
import type { EgressPlan, EgressPool } from '../../rules/egress/types';
import { conditionTime } from '../../runtime/condition-time';
import { conditionsOf } from './conditions';
import type { EgressContext } from './context';
import type { LookAgain } from './door-parts';
import type { EgressCounts } from './gauges';

/** Pause before a status is looked at again: it was overtaken, or its namespaces were not all looked at. */
const AGAIN_MS = 500;
/** Most namespaces that a status names. */
const MOST_SHOWN = 500;
const MOST_MESSAGE = 1024;

const finalizersOf = (object: JsonMap): readonly unknown[] => listOf(metadataOf(object)['finalizers']);
const keyOf = (object: JsonMap) => {
  const { name, uid } = metadataOf(object);
  return { namespace: '', name: textOf(name), uid: textOf(uid) };
};

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
    return {};
  }
  if (plan.isDying && (plan.isRetained || !isHeldFrom(context, plan))) return letGo(context, object);
  const isReady = (plan.isDying || (await keepOwn(context, object))) && isLookedAt(context, name);
  return isReady && (await writeStatus(context, object, plan)) ? {} : { requeueAfterMs: AGAIN_MS };
}

// Ours is on before that of the older operator goes.
async function keepOwn(context: EgressContext, object: JsonMap): Promise<boolean> {
  if (!(await keepFinalizer(context, keyOf(object).name))) return false;
  await takeOff(context, object);
  return true;
}

// A namespace that is being deleted holds its addresses until it is gone, which may take any time.
function isHeldFrom({ parts }: EgressContext, { name, network }: EgressPlan): boolean {
  const records = parts.known.find({ by: 'pool', network, pool: name }).filter(({ door }) => door === 'egress');
  return records.some(({ holders }) =>
    holders.some(({ owner }) => {
      const object = parts.namespaces.get('', owner.name);
      return object !== undefined && !readNamespace(object).isDying;
    }),
  );
}

async function letGo(context: EgressContext, object: JsonMap): Promise<LookAgain> {
  await takeOff(context, object);
  afterWrite(await context.parts.egressIpamWriter.removeFinalizer(keyOf(object), EGRESS_FINALIZER));
  return {};
}

async function takeOff({ parts }: EgressContext, object: JsonMap): Promise<void> {
  if (!finalizersOf(object).includes(OLD_EGRESS_FINALIZER)) return;
  afterWrite(await parts.egressIpamWriter.removeFinalizer(keyOf(object), OLD_EGRESS_FINALIZER));
}

// A status that counts some of the namespaces would be written again with each that follows.
function isLookedAt({ parts, states }: EgressContext, name: string): boolean {
  const all = parts.namespaces.list().map(readNamespace);
  return all.every((each) => each.egressIpam !== name || each.isDying || states.get(each.name) !== undefined);
}

/** Counts of one CIDR. */
type PoolCounts = EgressCounts & { readonly total: bigint };

function countsOf({ parts, inUse }: EgressContext, { network }: EgressPlan, pool: EgressPool): PoolCounts {
  const space = PrefixSet.of(pool.prefix);
  const records = parts.known.within(network, space);
  const used = BigInt(records.filter(({ state, door }) => state === 'held' && door === 'egress').length);
  const quarantined = BigInt(records.filter(({ state }) => state === 'quarantined').length);
  const total = space.count();
  const free = inUse.freeOf(pool, { network, held: records.map(({ address }) => address) });
  return { total, used, quarantined, free, reserved: total - used - quarantined - free };
}

async function writeStatus(context: EgressContext, object: JsonMap, plan: EgressPlan): Promise<boolean> {
  const { parts, states, gauges } = context;
  const counts = plan.pools.map((pool) => ({ pool, counts: countsOf(context, plan, pool) }));
  const served = states.of(plan.name);
  const sum = (of: keyof PoolCounts): bigint => counts.reduce((before, each) => before + each.counts[of], 0n);
  gauges.tell(plan.name, {
    ...{ used: sum('used'), quarantined: sum('quarantined') },
    ...{ reserved: sum('reserved'), free: sum('free') },
  });
  const before = statusIn(object);
  const { assigned, pending, invalid, unserved } = served;
  const about = observed(object);
  const conditions = conditionsOf(plan, { served, dataplane: dataplaneOf(object) }).map((each) => ({
    ...each,
    ...about,
  }));
  const status = {
    ...about,
    conditions: withTimes(before, conditions, conditionTime(parts.clock.nowMs())),
    dataplane: 'none',
    pools: plan.pools.map(({ cidr }) => cidr),
    ...{ total: String(sum('total')), allocated: String(sum('used')), free: String(sum('free')) },
    cidrs: counts.map(({ pool: { cidr }, counts: of }) => ({
      ...{ cidr, total: String(of.total), reserved: String(of.reserved), used: String(of.used) },
      ...{ free: String(of.free), quarantined: String(of.quarantined) },
    })),
    namespaces: { assigned, pending, invalid },
    unserved: unserved.slice(0, MOST_SHOWN).map(({ namespace, problem: { reason, message } }) => ({
      ...{ namespace, reason, message: message.slice(0, MOST_MESSAGE) },
    })),
  };
  if (isSameStatus(before, status)) return true;
  const resourceVersion = textOf(metadataOf(object)['resourceVersion']);
  const written = await parts.egressIpamWriter.applyStatus(keyOf(object), status, { resourceVersion });
  return afterWrite(written) !== 'changed';
}

const dataplaneOf = (object: JsonMap): string => textOf(mapOf(object['spec'])['dataplane']);
