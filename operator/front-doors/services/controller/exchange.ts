import { parseAddressList } from '../../../contract/service-annotations';
import { IPAM } from '../../../contract/group';
import { LOAD_BALANCER } from '../../../contract/service';
import type { Refusal } from '../../../errors/outcome';
import type { Grant } from '../../../ports/address-book';
import type { ServiceKey } from '../../../ports/service-feed';
import { circleThrough, type CircleMove, type Trade } from './circles';
import type { ControllerContext } from './controller-parts';
import { readStored, type StoredObject } from './stored-object';

/**
 * Result of an exchange: `done`: the record has changed; `none`: there is no circle; else why the circle goes on waiting, as a
 * part of a sentence.
 */
export type Exchanged = 'done' | 'none' | { readonly waits: string };

/**
 * Describes a waiting Service as one that could exchange what it has.
 *
 * @param object - as stored
 * @param key - of the Service
 * @param waits - why it waits, and what is bound to it
 * @returns what it gives and wants; undefined for one that waits for something else, or has nothing
 */
export function tradeOf(
  { view }: StoredObject,
  key: ServiceKey,
  { refusal, held }: { readonly refusal: Refusal; readonly held: readonly Grant[] },
): Trade | undefined {
  const wish = view.annotations[IPAM.addresses] ?? '';
  const parsed = parseAddressList(wish, IPAM.addresses);
  if (refusal.code !== 'address/in-use' || held.length === 0 || !parsed.ok) return undefined;
  const wants = parsed.value.filter((address) => !held.some((grant) => grant.address.equals(address)));
  return { key, held, wants, wish };
}

/**
 * Exchanges the addresses of Services that wait for each other, if this one is part of such a circle. Writes to the record only; each
 * one is looked at anew then, and gets its keys in turn.
 *
 * @param context - of the controller
 * @param trade - a Service that waits and holds something
 * @returns what came of it
 * @throws {@link IpamError} of store or cluster
 */
export async function exchangeCircle(context: ControllerContext, trade: Trade): Promise<Exchanged> {
  const circle = circleThrough(trade, context.waiters.trades());
  if (circle === undefined || !(await isAsStored(context, circle))) return 'none';
  const { book, cluster, logger, writer } = context.parts;
  const clusterUid = await cluster.clusterUid();
  const moves = circle.map(({ serviceUid, network, from, to }) => ({ serviceUid, clusterUid, network, from, to }));
  const done = await book.exchange(moves);
  if (!done.ok) return { waits: `${namesOf(circle)} wait for each other, but ${done.refusal.message}` };
  for (const { trade: member, from, to } of circle) {
    const { key } = member;
    const { namespace, name } = key;
    logger.info('addresses exchanged', { namespace, name, from: from.toString(), to: to.toString() });
    const message = `exchanged "${from.toString()}" for "${to.toString()}" among ${namesOf(circle)}, which waited for each other`;
    await writer.event(key, { type: 'Normal', reason: 'AddressesExchanged', message });
    const known = context.known.find(key.uid);
    if (known !== undefined) known.recheck = true;
    context.waiters.wake(key);
  }
  return 'done';
}

// The feed may be late, and a Service that took the wish back meanwhile keeps its address.
async function isAsStored({ parts }: ControllerContext, circle: readonly CircleMove[]): Promise<boolean> {
  for (const { trade } of circle) {
    const { namespace, name, uid } = trade.key;
    const raw = await parts.cluster.service(namespace, name);
    const view = raw === undefined ? undefined : readStored(raw)?.view;
    const waits = view?.uid === uid && view.type === LOAD_BALANCER && !view.dying;
    if (!waits || view.annotations[IPAM.addresses] !== trade.wish) return false;
  }
  return true;
}

function namesOf(circle: readonly CircleMove[]): string {
  const names = circle.map(({ trade: { key } }) => `"${key.namespace}/${key.name}"`);
  return [...new Set(names)].join(', ');
}
