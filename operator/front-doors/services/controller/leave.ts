import type { Address } from '../../../addressing/address';
import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { METALLB, WAITING_POOL } from '../../../contract/group';
import type { ServiceView } from '../../../contract/service';
import { IpamError } from '../../../errors/ipam-error';
import type { Grant } from '../../../ports/address-book';
import type { ServiceKey } from '../../../ports/service-feed';
import { afterRefusedWrite, SOON_MS, type ControllerContext, type Look } from './controller-parts';
import { endContested } from './contested';
import type { Known } from './known-services';
import { boundTo } from '../wanted/facts';
import { versionOf, type StoredObject } from './stored-object';

/**
 * Ends what an object held that is gone, once the API server itself says so. Needs nothing of its namespace.
 *
 * @param context - of the controller
 * @param key - of the object
 * @returns when to come back: the feed may have been ahead or behind
 * @throws {@link IpamError} of store or cluster
 */
export async function endGone(context: ControllerContext, key: ServiceKey): Promise<Look> {
  const { parts, known, waiters, notices } = context;
  waiters.leave(key.uid, false);
  notices.forget(key.uid);
  const held = await boundTo(parts, key);
  const contested = known.find(key.uid)?.contested ?? [];
  if (held.length + contested.length > 0) {
    if (uidOf(await parts.cluster.service(key.namespace, key.name)) === key.uid) return { again: SOON_MS };
    const left = held.length > 0 ? await release(context, key, { why: 'it is gone' }) : undefined;
    if (left !== undefined) return left;
    waiters.left(held.map(({ address }) => address));
  }
  return forget(context, key);
}

/**
 * Lets go of a stored object that is ours no longer: another type, another class. Our keys go first, since the record alone
 * knows which they are; the addresses go last. Interrupted anywhere, the next call finishes it.
 *
 * @param context - of the controller
 * @param object - as stored
 * @param key - of the object
 * @returns when to come back
 * @throws {@link IpamError} of store or cluster
 */
export async function letGo(context: ControllerContext, object: StoredObject, key: ServiceKey): Promise<Look> {
  const { parts, known, waiters } = context;
  const grants = await boundTo(parts, key);
  const keys = ourKeysOn(object.view, grants, known.find(key.uid));
  if (grants.length > 0 || keys.length > 0 || object.condition !== undefined) {
    // the feed may be late: what counts is what is stored
    const now = await parts.cluster.service(key.namespace, key.name);
    if (!isSame(now, object)) return { again: SOON_MS };
    const cleaned = await cleanObject(context, object, { key, keys });
    if (cleaned !== undefined) return cleaned;
  }
  if (grants.length > 0) {
    const why = `it is of type ${object.view.type} or of a class of another controller now`;
    const left = await release(context, key, { why });
    if (left !== undefined) return left;
    waiters.left(grants.map(({ address }) => address));
  }
  waiters.leave(key.uid, false);
  return forget(context, key);
}

async function forget(context: ControllerContext, { uid }: ServiceKey): Promise<Look> {
  const remembered = context.known.find(uid);
  if (remembered !== undefined && !(await endContested(context, remembered))) return { again: SOON_MS };
  context.known.forget(uid);
  return {};
}

/**
 * Takes our keys and our condition off a stored object.
 *
 * @param context - of the controller
 * @param object - as stored
 * @param on - its key, and which annotations go
 * @returns when to come back where a write was not taken; undefined where nothing is left
 */
export async function cleanObject(
  { parts: { writer } }: ControllerContext,
  { condition, resourceVersion }: StoredObject,
  { key, keys }: { readonly key: ServiceKey; readonly keys: readonly string[] },
): Promise<Look | undefined> {
  if (keys.length > 0) {
    const values = Object.fromEntries(keys.map((name) => [name, null]));
    const written = await writer.annotate(key, values, { resourceVersion });
    if (!written.ok) return afterRefusedWrite(written.refusal);
  }
  const cleared = condition === undefined ? undefined : await writer.condition(key, undefined);
  return cleared?.ok === false ? afterRefusedWrite(cleared.refusal) : undefined;
}

/**
 * Releases what is bound to an object.
 *
 * @param context - of the controller
 * @param key - of the object
 * @param on - the reason for the log, and the addresses that stay
 * @returns when to come back where it failed; undefined where it is done
 * @throws {@link IpamError} of store or cluster
 */
export async function release(
  { parts, known }: ControllerContext,
  key: ServiceKey,
  { why, keep = [] }: { readonly why: string; readonly keep?: readonly Address[] },
): Promise<Look | undefined> {
  const remembered = known.find(key.uid);
  if (remembered !== undefined) known.setHave(remembered, undefined); // it loses them by our own doing
  const clusterUid = await parts.cluster.clusterUid();
  const released = await parts.book.releaseByUid({ serviceUid: key.uid, clusterUid, keep });
  if (!released.ok) return { again: SOON_MS };
  const { namespace, name } = key;
  const address = released.value.released.map(String).join(',');
  if (address !== '') parts.logger.info('service released', { namespace, name, address, why });
  return undefined;
}

/**
 * Releases what was bound to an object by the copy of the cluster that this process has, where the object is gone meanwhile. The process that
 * leads may have seen its end, and released what it held, before that was written; an end that comes after this look is seen by the leader.
 *
 * @param context - of the controller
 * @param key - of the object, after something was bound to it
 * @returns the object as the API server has it now; undefined where it is gone and nothing is left of it
 * @throws {@link IpamError} of store or cluster; `store/conflict` where others kept changing what it had
 */
export async function releaseIfGone(context: ControllerContext, key: ServiceKey): Promise<JsonMap | undefined> {
  const now = await context.parts.cluster.service(key.namespace, key.name);
  if (uidOf(now) === key.uid) return now;
  const left = await release(context, key, { why: 'it is gone' });
  if (left === undefined) return undefined;
  throw new IpamError('store/conflict', 'what a deleted Service had is being changed by others; try again');
}

/**
 * Lists the annotations of a stored object that we wrote. A key that the user gave another value since is the user's.
 *
 * @param view - the object
 * @param grants - what is bound to it
 * @param known - what is remembered of it
 * @returns the keys that stand there
 */
export function ourKeysOn(
  { annotations }: ServiceView,
  grants: readonly Grant[],
  known: Known | undefined,
): readonly string[] {
  const written = new Set(grants.flatMap(({ writtenKeys }) => writtenKeys));
  const before = known?.live?.annotations ?? {};
  const isParked = annotations[METALLB.pool] === WAITING_POOL;
  const ours = [...written].filter((name) => {
    const value = annotations[name];
    return value !== undefined && (before[name] === undefined || before[name] === value);
  });
  return [...new Set([...ours, ...(isParked ? [METALLB.pool] : [])])];
}

/**
 * Tells whether the API server has what the feed showed.
 *
 * @param now - the object as it is stored
 * @param object - as the feed showed it
 * @returns true for one version of one object
 */
export function isSame(now: Readonly<Record<string, unknown>> | undefined, object: StoredObject): boolean {
  return now !== undefined && uidOf(now) === object.view.uid && versionOf(now) === object.resourceVersion;
}

/**
 * Reads the UID of a stored object.
 *
 * @param raw - the object, if there is one
 * @returns its UID, empty when there is none
 */
export function uidOf(raw: Readonly<Record<string, unknown>> | undefined): string {
  return textOf(metadataOf(raw)['uid']);
}
