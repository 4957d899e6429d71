import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { byAddress } from '../../../addressing/place';
import { GROUP_FINALIZER, IP_NETWORK } from '../../../contract/paas';
import { isSameStatus, observed, statusIn, withTimes } from '../../../contract/stored-status';
import type { AddressRecord } from '../../../ports/claims';
import type { ObjectKey } from '../../../ports/object-feed';
import { decideGroupDeletion, excludedInUse } from '../../../rules/vips';
import type { GroupPlan } from '../../../rules/vips/plan-groups';
import { conditionTime } from '../../../runtime/condition-time';
import type { VipsContext } from './context';
import { hasFinalizer } from './group-finalizers';
import type { GroupTally } from './group-tallies';
import { nameOfHolder, placeOf } from './record';
import { afterWrite, type Written } from '../../../errors/after-write';

/** Most pools of other doors that a message names. */
const MOST_NAMED = 5;

/** Condition of a group, without its time. */
interface GroupCondition {
  readonly type: 'Ready' | 'OverlapsOtherDoor' | 'InUse';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** One group with its counters. */
interface GroupLook {
  readonly object: JsonMap;
  readonly key: ObjectKey;
  readonly plan: GroupPlan;
  readonly tally: GroupTally;
  readonly isDying: boolean;
  /** Addresses that are held and have to be named: of a group that is being deleted all of it, else what it excludes. */
  readonly named: readonly AddressRecord[];
  /** Pools of other doors that have a part of the group. */
  readonly stronger: readonly string[];
}

/**
 * Brings finalizer and status of a group up to date: what it gives from, its counters, and why a change is not applied.
 *
 * @param context - of the controller
 * @param name - as the API server has it
 * @returns whether the status was overtaken by another write and is to be looked at again
 * @throws IpamError where the cluster does not answer, or refuses a write
 */
export async function reconcileGroup(context: VipsContext, name: string): Promise<'done' | 'overtaken'> {
  const { parts, groups } = context;
  const object = parts.groups.get('', name);
  const plan = groups.plan(name);
  if (object === undefined || plan === undefined) {
    context.gauges.forget(name);
    context.tallies.forget(name);
    context.inUse.forget(name);
    return 'done';
  }
  const key = { namespace: '', name, uid: textOf(metadataOf(object)['uid']) };
  const tally = context.tallies.of(plan.group);
  const isDying = metadataOf(object)['deletionTimestamp'] !== undefined;
  const stronger = plan.overlapsOtherDoor ? groups.strongerNames(plan.group) : [];
  const look = { object, key, plan, tally, isDying, named: namedOf(context, tally, isDying), stronger };
  tellGauges(context, look);
  const kept = await keepFinalizer(context, look);
  if (kept !== 'goesOn') return kept === 'changed' ? 'overtaken' : 'done';
  const status = statusOf(context, look);
  if (isSameStatus(statusIn(object), status)) return 'done';
  const resourceVersion = textOf(metadataOf(object)['resourceVersion']);
  const written = afterWrite(await parts.groupWriter.applyStatus(key, status, { resourceVersion }));
  return written === 'changed' ? 'overtaken' : 'done';
}

// The counters are enough for all but the messages, and for the end of a group, which is not to hang on them.
function namedOf({ parts }: VipsContext, tally: GroupTally, isDying: boolean): readonly AddressRecord[] {
  if (isDying) return parts.known.find({ by: 'pool', network: IP_NETWORK, pool: tally.group.name });
  const excluded = tally.excludedInUse().flatMap((address) => parts.known.at(placeOf(address)) ?? []);
  return excluded.sort(byAddress);
}

const usesOf = (records: readonly AddressRecord[]) =>
  records
    .filter(({ state }) => state === 'held')
    .map(({ address, holders }) => ({ address, holders: holders.map(nameOfHolder) }));

// On before the first address is given, and put back where others took it off; off with the last one of a group that is being deleted, which is gone then.
async function keepFinalizer({ parts }: VipsContext, look: GroupLook): Promise<Written | 'goesOn'> {
  const { object, key, tally, isDying, named } = look;
  const isOn = hasFinalizer(object);
  if (isDying && isOn && decideGroupDeletion(key.name, usesOf(named)).finalizer === 'off')
    return afterWrite(await parts.groupWriter.removeFinalizer(key, GROUP_FINALIZER));
  if (isDying || isOn || !tally.isInUse) return 'goesOn';
  const written = afterWrite(await parts.groupWriter.addFinalizer(key, GROUP_FINALIZER));
  return written === 'written' ? 'goesOn' : written;
}

function tellGauges(context: VipsContext, { plan, tally }: GroupLook): void {
  const { group } = plan;
  const families = ([4, 6] as const).filter((family) => group.segments.ranges(family).length > 0);
  context.gauges.tell(group.name, {
    counts: new Map(families.map((family) => [family, tally.counts(family)])),
    unready: group.readiness.ok ? undefined : group.readiness.reason,
  });
}

function statusOf(context: VipsContext, look: GroupLook): JsonMap {
  const { object, plan, tally } = look;
  const before = statusIn(object);
  const applied = plan.apply ?? before['applied'];
  const now = conditionTime(context.parts.clock.nowMs());
  return {
    ...observed(object),
    conditions: withTimes(before, conditionsOf(look), now),
    ...tally.counts(),
    ...(applied === undefined ? {} : { applied }),
  };
}

function conditionsOf({ plan, isDying, named, key, stronger }: GroupLook): readonly GroupCondition[] {
  const { readiness } = plan.group;
  const uses = usesOf(named);
  const warning = excludedInUse(plan.group, uses);
  const ready: GroupCondition = readiness.ok
    ? {
        type: 'Ready',
        status: 'True',
        reason: 'Applied',
        message: warning ?? 'the group gives from what its spec says',
      }
    : { type: 'Ready', status: 'False', reason: readiness.reason, message: readiness.message };
  return [
    ready,
    ...(stronger.length === 0 ? [] : [overlaps(stronger)]),
    ...(isDying && uses.length > 0 ? [inUse(decideGroupDeletion(key.name, uses).message)] : []),
  ];
}

const overlaps = (stronger: readonly string[]): GroupCondition => ({
  type: 'OverlapsOtherDoor',
  status: 'True',
  reason: 'ZoneIsStronger',
  message: `of the segments, what is in ${listed(stronger)} of the same network is not given out here`,
});

function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${String(names.length - MOST_NAMED)} more` : '';
  return `${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}

const inUse = (message: string): GroupCondition => ({ type: 'InUse', status: 'True', reason: 'HoldersLeft', message });
