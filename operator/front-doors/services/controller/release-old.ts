import { isIn } from '../../../addressing/address';
import { SOON_MS, type ControllerContext, type Look } from './controller-parts';
import type { Have, Known } from './known-services';
import { isSame } from './leave';
import type { StoredObject } from './stored-object';

/**
 * Releases what a Service holds but names no longer, once its new addresses are announced: make before break. Where nothing
 * was announced, nothing can break.
 *
 * @param context - of the controller
 * @param work - the stored object and what is remembered of it
 * @param have - what it has
 * @returns when to come back
 * @throws {@link IpamError} of store or cluster
 */
export async function releaseOld(
  context: ControllerContext,
  { object, known }: { readonly object: StoredObject; readonly known: Known },
  have: Have,
): Promise<Look> {
  const { book, cluster, logger } = context.parts;
  const addresses = have.grants.map(({ address }) => address);
  const isMade = addresses.every((address) => isIn(address, object.announced));
  if (have.old.length === 0 || !(isMade || !known.wasAnnounced)) return {};
  const stillShown = have.old.filter((address) => isIn(address, object.announced));
  if (stillShown.length === have.old.length) return {};
  const { namespace, name, uid } = known.key;
  // the feed may be late: a Service that took the wish back meanwhile keeps the address
  const now = await cluster.service(namespace, name);
  if (!isSame(now, object)) return { again: SOON_MS };
  const clusterUid = await cluster.clusterUid();
  const released = await book.releaseByUid({ serviceUid: uid, clusterUid, keep: [...addresses, ...stillShown] });
  if (!released.ok) return { again: SOON_MS };
  context.known.setHave(known, { ...have, old: stillShown });
  // what an UPDATE that is under way names again is only reserved now
  const ended = released.value.released;
  context.waiters.left(ended);
  if (ended.length === 0) return {};
  logger.info('former address released', { namespace, name, address: ended.map(String).join(',') });
  return {};
}
