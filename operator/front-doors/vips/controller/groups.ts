import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { GROUP_FINALIZER, IP_NETWORK } from '../../../contract/paas';
import type { AddressRecord } from '../../../ports/claims';
import type { ObjectKey } from '../../../ports/object-feed';
import { countGroup, decideGroupDeletion, excludedInUse } from '../../../rules/vips';
import type { GroupUses } from '../../../rules/vips/group-life';
import type { GroupPlan } from '../../../rules/vips/plan-groups';
import { conditionTime } from '../../../runtime/condition-time';
import type { VipsContext } from './context';
import { hasFinalizer } from './group-finalizers';
import { nameOfHolder } from './record';
import { afterWrite } from './after-write';

/** Most pools of other doors that a message names. */
const MOST_NAMED = 5;

/** Condition of a group, without its time. */
interface GroupCondition {
  readonly type: 'Ready' | 'OverlapsOtherDoor' | 'InUse';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** One group with everything that is held from it. */
interface GroupLook {
  readonly object: JsonMap;
  readonly key: ObjectKey;
  readonly plan: GroupPlan;
  readonly records: readonly AddressRecord[];
  /** Pools of other doors that have a part of the group. */
  readonly stronger: readonly string[];
}

/**
 * Brings finalizer and status of a group up to date: what it gives from, its counters, and why a change is not applied.
 *
 * @param context - of the controller
 * @param name - as the API server has it
 * @throws IpamError where the cluster does not answer, or refuses a write
 */
export async function reconcileGroup(context: VipsContext, name: string): Promise<void> {
  const { parts, groups } = context;
  const object = parts.groups.get('', name);
  const plan = groups.plan(name);
  if (object === undefined || plan === undefined) {
    context.gauges.forget(name);
    return;
  }
  const key = { namespace: '', name, uid: textOf(metadataOf(object)['uid']) };
  const records = parts.known.find({ by: 'pool', network: IP_NETWORK, pool: name });
  const stronger = plan.overlapsOtherDoor ? groups.strongerNames(plan.group) : [];
  const look = { object, key, plan, records, stronger };
  tellGauges(context, look);
  if (!(await keepFinalizer(context, look))) return;
  const status = statusOf(context, look);
  if (isSameStatus(mapOf(object['status']), status)) return;
  const resourceVersion = textOf(metadataOf(object)['resourceVersion']);
  // a version that is not the newest is no matter: the watch tells of the newer one
  afterWrite(await parts.groupWriter.applyStatus(key, status, { resourceVersion }));
}

const usesOf = (records: readonly AddressRecord[]) =>
  records
    .filter(({ state }) => state === 'held')
    .map(({ address, holders }) => ({ address, holders: holders.map(nameOfHolder) }));

// On before the first address is given, and put back where others took it off; off with the last one of a group that is being deleted, which is gone then.
async function keepFinalizer({ parts }: VipsContext, { object, key, records }: GroupLook): Promise<boolean> {
  const { deletionTimestamp } = metadataOf(object);
  const isOn = hasFinalizer(object);
  const isDying = deletionTimestamp !== undefined;
  const { finalizer } = decideGroupDeletion(key.name, usesOf(records));
  if (isDying && isOn && finalizer === 'off') {
    afterWrite(await parts.groupWriter.removeFinalizer(key, GROUP_FINALIZER));
    return false;
  }
  if (!isDying && !isOn && finalizer === 'keep')
    return afterWrite(await parts.groupWriter.addFinalizer(key, GROUP_FINALIZER)) === 'written';
  return true;
}

function groupUsesOf({ inUse }: VipsContext, { records }: Pick<GroupLook, 'records'>): GroupUses {
  const addresses = (state: AddressRecord['state']) =>
    records.filter((each) => each.state === state).map(({ address }) => address);
  return { held: addresses('held'), quarantined: addresses('quarantined'), foreign: inUse.occupied() };
}

function tellGauges(context: VipsContext, look: GroupLook): void {
  const { group } = look.plan;
  const uses = groupUsesOf(context, look);
  const families = ([4, 6] as const).filter((family) => group.segments.ranges(family).length > 0);
  context.gauges.tell(group.name, {
    counts: new Map(families.map((family) => [family, countGroup(group, uses, family)])),
    unready: group.readiness.ok ? undefined : group.readiness.reason,
  });
}

function statusOf(context: VipsContext, look: GroupLook): JsonMap {
  const { object, plan } = look;
  const { generation } = metadataOf(object);
  const before = mapOf(object['status']);
  const applied = plan.apply ?? before['applied'];
  const counts = countGroup(plan.group, groupUsesOf(context, look));
  const now = conditionTime(context.parts.clock.nowMs());
  return {
    ...(typeof generation === 'number' ? { observedGeneration: generation } : {}),
    conditions: conditionsOf(look).map((each) => ({ ...each, lastTransitionTime: changedAt(before, each) ?? now })),
    ...counts,
    ...(applied === undefined ? {} : { applied }),
  };
}

function changedAt(before: JsonMap, { type, status }: GroupCondition): string | undefined {
  const found = listOf(before['conditions']).find((each) => isMap(each) && each['type'] === type);
  return isMap(found) && found['status'] === status ? textOf(found['lastTransitionTime']) : undefined;
}

function conditionsOf({ object, plan, records, key, stronger }: GroupLook): readonly GroupCondition[] {
  const { readiness } = plan.group;
  const uses = usesOf(records);
  const warning = excludedInUse(plan.group, uses);
  const isDying = metadataOf(object)['deletionTimestamp'] !== undefined;
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

function isSameStatus(before: JsonMap, after: JsonMap): boolean {
  return (
    Object.entries(after).every(([field, value]) => textAt(before[field]) === textAt(value)) && hasNoMore(before, after)
  );
}

// What has no other owner goes with an apply that does not name it.
const hasNoMore = (before: JsonMap, after: JsonMap): boolean => Object.keys(before).every((field) => field in after);

const textAt = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => (isMap(each) ? sorted(each) : each));

const sorted = (map: JsonMap): JsonMap => Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
