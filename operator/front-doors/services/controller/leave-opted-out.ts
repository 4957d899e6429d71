import { isIn } from '../../../addressing/address';
import { optOutProblem } from '../../../rules/opt-out';
import type { ServiceKey } from '../../../ports/service-feed';
import { SOON_MS, type ControllerContext, type Look } from './controller-parts';
import { cleanObject, isSame, ourKeysOn, release } from './leave';
import { boundTo } from '../wanted/facts';
import type { StoredObject } from './stored-object';

/**
 * Lets go of a stored Service that has opted out of the default zone. Our keys and our condition go at once; MetalLB leaves an address
 * that works, so the claim ends only when the status does not show it any more.
 *
 * @param context - of the controller
 * @param object - as stored
 * @param key - of the object
 * @returns when to come back; undefined for a Service that names a zone all the same, which stays ours
 * @throws {@link IpamError} of store or cluster
 */
export async function leaveOptedOut(
  context: ControllerContext,
  object: StoredObject,
  key: ServiceKey,
): Promise<Look | undefined> {
  const { parts, known, waiters } = context;
  const { view, announced, condition } = object;
  const grants = await boundTo(parts, key);
  const keys = ourKeysOn(view, grants, known.find(key.uid));
  const wished = Object.fromEntries(Object.entries(view.annotations).filter(([name]) => !keys.includes(name)));
  if (optOutProblem({ ...view, annotations: wished }, parts.zones.current()) !== undefined) return undefined;
  const shown = grants.map(({ address }) => address).filter((each) => isIn(each, announced));
  waiters.leave(key.uid, false);
  if (keys.length > 0 || condition !== undefined || shown.length < grants.length) {
    if (!isSame(await parts.cluster.service(key.namespace, key.name), object)) return { again: SOON_MS };
  }
  const cleaned = await cleanObject(context, object, { key, keys });
  if (cleaned !== undefined) return cleaned;
  if (shown.length < grants.length) {
    const left = await release(context, key, { why: 'it has opted out and shows the address no longer', keep: shown });
    if (left !== undefined) return left;
  }
  known.forget(key.uid);
  return {};
}
