import { parsePrefix, type Prefix } from '../../addressing/prefix';
import { NETWORKS_FINALIZER } from '../../contract/nephio';
import type { NetworkEntry } from '../../contract/networks/entry';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { afterWrite } from '../../errors/after-write';
import { isIpamError } from '../../errors/ipam-error';
import { isOutage } from '../../errors/outage';
import { refuse, type Outcome, type Refusal } from '../../errors/outcome';
import { conditionsOf, type NetworksCondition } from '../../rules/networks';
import type { Instance, NamedObject } from '../../rules/networks/types';
import type { Ended, NetworksContext } from './context';
import type { NetworksDoorParts } from './door-parts';
import { heldFields } from './held-fields';
import { refusedByInstance } from './instances';
import { createdMsOf, hasFinalizer, ownerOf, writerOf } from './objects';
import { networksOf, release } from './record';
import { shownBlock } from './shown-places';
import { shownFields, writeStatus, type ToldStatus, type WorkedObject } from './status';

/** Where a request is decided. */
export interface DecidedIn {
  /** NetworkInstance that the request names; empty where it names none. */
  readonly instanceName: string;
  /** Network on record; absent where there is no such instance. */
  readonly network?: string;
}

/**
 * Tells whether an object has something on record.
 *
 * @param context - of the controller
 * @param worked - the object
 * @returns true where a release would find something
 */
export function isHolding({ parts }: NetworksContext, { key }: Pick<WorkedObject, 'key'>): boolean {
  return networksOf(parts, ownerOf(parts, key)).length > 0;
}

/**
 * Finds the instance of a request, ready to be given in: one that is being deleted gives nothing new.
 *
 * @param context - of the controller
 * @param namespace - of the request
 * @param name - as the request names it
 * @returns the instance; or why there is none
 */
export function instanceFor({ instances }: NetworksContext, namespace: string, name: string): Outcome<Instance> {
  const found = instances.get(namespace, name);
  if (!found.ok || !found.value.isDying) return found;
  return refusedByInstance(
    refuse('instance/terminating', `NetworkInstance ${namespace}/${name} is being deleted, and gives nothing new`),
  );
}

/**
 * Tells an object why it has not what it asks for, and lets it wait. What it has from an earlier request it keeps.
 *
 * @param context - of the controller
 * @param worked - the object
 * @param refused - why, and in which instance
 * @returns how it ended
 * @throws IpamError where the cluster does not answer, or refuses the write
 */
export async function tellRefusal(
  context: NetworksContext,
  worked: WorkedObject,
  refused: DecidedIn & { readonly refusal: Refusal },
): Promise<Ended> {
  const { refusal, ...where } = refused;
  const isHeld = isHolding(context, worked) || isRange(worked);
  const fields = isHeld || isOpen(context, worked, where.network) ? keptFields(context, worked) : {};
  const kept = isHeld ? textOf(fields['prefix']) : '';
  const held = kept === '' ? worked : await hold(context, worked);
  if (held === undefined) return 'again';
  const told = { conditions: conditionsOf({ refusal, ...(kept === '' ? {} : { kept }) }), fields };
  if ((await writeStatus(context.parts, held, told)) !== 'written') return 'again';
  context.waiting.park(waiterOf(worked, where), refusal);
  return 'done';
}

// A range is no entry: what its status shows is where it was accepted.
const isRange = ({ key, object }: WorkedObject): boolean =>
  key.of === 'prefix' && mapOf(object['spec'])['range'] !== undefined;

function keptFields(context: NetworksContext, worked: WorkedObject): JsonMap {
  const shown = shownFields(worked.object);
  return shown['prefix'] === undefined ? { ...shown, ...heldFields(context, worked) } : shown;
}

// What an object shows without a claim, as after a restore, is the only evidence of its place until it can come on record.
function isOpen({ parts }: NetworksContext, { key, object }: WorkedObject, network: string | undefined): boolean {
  const block = key.of === 'instance' ? undefined : shownBlock(key.of, object);
  if (block === undefined) return false;
  return network === undefined || parts.tables.look(network, (table) => table.at(block)) === undefined;
}

/**
 * Tells an object what it has, and takes it out of the line.
 *
 * @param context - of the controller
 * @param worked - the object
 * @param told - its status
 * @returns how it ended
 * @throws IpamError where the cluster does not answer, or refuses the write
 */
export async function tellServed(context: NetworksContext, worked: WorkedObject, told: ToldStatus): Promise<Ended> {
  if ((await writeStatus(context.parts, worked, told)) !== 'written') return 'again';
  context.waiting.leave(worked.key.uid, true);
  return 'done';
}

/**
 * Puts the finalizer on an object, or back.
 *
 * @param context - of the controller
 * @param worked - the object
 * @returns the same with the version that has it; undefined where the object changed meanwhile, or went
 * @throws IpamError where the cluster does not answer, or refuses the write
 */
export async function hold({ parts }: NetworksContext, worked: WorkedObject): Promise<WorkedObject | undefined> {
  const { key, object, guard } = worked;
  if (guard !== undefined || hasFinalizer(object)) return worked;
  const added = await writerOf(parts, key.of).addFinalizer(key, NETWORKS_FINALIZER, object);
  return afterWrite(added) === 'written' && added.ok ? { ...worked, guard: added.value } : undefined;
}

/** Objects that use the range of an IPPrefix, which is no entry of its own. */
export interface UsedRange {
  readonly network: string;
  readonly block: Prefix;
  readonly users: readonly NamedObject[];
}

/**
 * Ends an object that is being deleted: what it has goes first, then its finalizer. One that others use is held, and says by which.
 *
 * @param context - of the controller
 * @param worked - the dying one
 * @param of - where its end is decided
 * @param of.instanceName - empty where its spec names none
 * @param of.range - absent where it declares none
 * @returns how it ended
 * @throws IpamError of record or cluster; its finalizer stays then
 */
export async function endObject(
  context: NetworksContext,
  worked: WorkedObject,
  { instanceName, range }: { readonly instanceName: string; readonly range?: UsedRange },
): Promise<Ended> {
  const { left, users } = await release(context.parts, ownerOf(context.parts, worked.key));
  const all = [...users, ...(range?.users ?? [])];
  if (all.length === 0) return letGo(context, worked);
  const places = [...left.flatMap(placesOf), ...(range === undefined ? [] : [range.block])];
  const [network = range?.network ?? ''] = networksOf(context.parts, ownerOf(context.parts, worked.key));
  return tellInUse(context, worked, { instanceName, network, users: all, places });
}

// The users of the last host of a subnet lie anywhere in it.
function placesOf({ block, facts }: NetworkEntry): readonly Prefix[] {
  const subnet = facts?.role === 'host' ? parsePrefix(facts.parent ?? '') : undefined;
  return subnet?.ok === true ? [block, subnet.value] : [block];
}

/**
 * Takes the finalizer off an object that is being deleted.
 *
 * @param context - of the controller
 * @param worked - the dying one
 * @returns how it ended
 * @throws IpamError where the cluster does not answer, or refuses the write
 */
export async function letGo({ parts, waiting }: NetworksContext, { key, object }: WorkedObject): Promise<Ended> {
  waiting.leave(key.uid, false);
  if (!hasFinalizer(object)) return 'done';
  const written = afterWrite(await writerOf(parts, key.of).removeFinalizer(key, NETWORKS_FINALIZER));
  return written === 'changed' ? 'again' : 'done';
}

/** Users of an object whose deletion waits, and the places at which a change may end that. */
interface InUse extends Required<DecidedIn> {
  readonly users: readonly NamedObject[];
  readonly places: readonly Prefix[];
}

async function tellInUse(
  context: NetworksContext,
  worked: WorkedObject,
  { users, places, ...where }: InUse,
): Promise<Ended> {
  const conditions = heldConditions(worked.object, users);
  const written = await writeStatus(context.parts, worked, { conditions, fields: shownFields(worked.object) });
  if (written !== 'written') return 'again';
  const wokenBy = { parents: [], places, isByLabels: false, isByInstance: false };
  context.waiting.park(waiterOf(worked, where), { code: 'prefix/in-use', wokenBy });
  return 'done';
}

/**
 * Makes the conditions of an object whose deletion waits: the stored ones, and by which objects it is held.
 *
 * @param object - as the API server has it
 * @param users - the objects
 * @returns the conditions without their times
 */
export function heldConditions(object: JsonMap, users: readonly NamedObject[]): readonly NetworksCondition[] {
  return [...storedConditions(object), ...conditionsOf({ users }).filter(({ type }) => type === 'InUse')];
}

/**
 * Reads the stored conditions of an object, but the one that says by what it is held.
 *
 * @param object - as the API server has it
 * @returns the conditions without their times
 */
function storedConditions(object: JsonMap): readonly NetworksCondition[] {
  const stored = (object['status'] as JsonMap | undefined)?.['conditions'];
  const all = (Array.isArray(stored) ? stored : []) as readonly JsonMap[];
  return all
    .filter(({ type }) => typeof type === 'string' && type !== 'InUse')
    .map(
      ({ type, status, reason, message }) => ({ type, status, reason, message: textOf(message) }) as NetworksCondition,
    );
}

/**
 * Tells an object that the work on it failed. Best effort: the work is tried again whether it is told or not.
 *
 * @param parts - writers and Events
 * @param worked - the object
 * @param thrown - an outage is not told
 */
export async function tellFailure(
  parts: NetworksDoorParts,
  { key, object }: Pick<WorkedObject, 'key' | 'object'>,
  thrown: unknown,
): Promise<void> {
  if (!isIpamError(thrown) || isOutage(thrown)) return;
  const others = storedConditions(object).filter(({ type }) => type !== 'Synced');
  const failed = conditionsOf({ failure: thrown.message }).filter(({ type }) => type === 'Synced');
  const told = { conditions: [...failed, ...others], fields: shownFields(object) };
  await writeStatus(parts, { key, object }, told).catch(() => undefined);
}

/**
 * Makes what waits of an object.
 *
 * @param worked - the object
 * @param where - where its request is decided
 * @returns the waiter, as {@link NetworksContext} lets it wait
 */
export function waiterOf({ key, object, since }: WorkedObject, { instanceName, network }: DecidedIn) {
  const instance = instanceName === '' ? '' : `${textOf(metadataOf(object)['namespace'])}/${instanceName}`;
  return { key, createdMs: createdMsOf(object), instance, network, since };
}
