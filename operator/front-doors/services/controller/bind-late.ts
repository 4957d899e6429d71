import { isIn, type Address } from '../../../addressing/address';
import { IPAM, METALLB } from '../../../contract/group';
import type { JsonMap } from '../../../contract/loose-json';
import type { ServiceView } from '../../../contract/service';
import type { ServiceKey } from '../../../ports/service-feed';
import { namedAddresses } from '../../../rules/wishes';
import type { ControllerContext } from './controller-parts';
import { readClaimant } from '../wanted/facts';
import { storedReview } from '../wanted/review';
import { releaseIfGone, uidOf } from './leave';
import { isAsked } from './reconcile';
import { saysBound } from './status';
import { readStored, type StoredObject } from './stored-object';
import { isServed } from '../admission/waiting';

/** A question to the record: addresses that a stored object names, and where. */
interface Named {
  readonly zone: string;
  readonly addresses: readonly Address[];
}

/**
 * Tells whether a stored object may have a reservation that is not bound. Costs no call: what the controller of this process knows, or
 * the condition that the one of another process wrote, says that its addresses are bound.
 *
 * @param context - of the controller
 * @param raw - the object of the feed
 * @returns true when only the record can tell
 */
export function mayBeUnbound(context: ControllerContext, raw: JsonMap): boolean {
  return unboundOf(context, readStored(raw)) !== undefined;
}

/**
 * Finds those among some stored Services whose addresses the record has as reserved: one read, however many are asked for. What is
 * bound already, by whatever process, costs no more than that.
 *
 * @param context - of the controller
 * @param keys - Services that may be unbound
 * @returns those that are to be bound
 * @throws {@link IpamError} of store or cluster
 */
export async function stillUnbound(
  context: ControllerContext,
  keys: readonly ServiceKey[],
): Promise<readonly ServiceKey[]> {
  const asked = keys.flatMap((key) => {
    const found = findUnbound(context, key);
    return found === undefined ? [] : [{ key, ...found.named }];
  });
  if (asked.length === 0) return [];
  const { book, cluster } = context.parts;
  const reserved = await book.unbound(await cluster.clusterUid());
  const places = new Set(reserved.map(({ zone, address }) => placeOf(zone, address)));
  return asked
    .filter(({ zone, addresses }) => addresses.some((address) => places.has(placeOf(zone, address))))
    .map(({ key }) => key);
}

/**
 * Binds what admission reserved for a stored object, and nothing else: the addresses that it names, as they were reserved. Everything
 * else, such as terms that changed since, is left to the leader. Writes to the record only; nothing there where nothing is reserved. Of an object
 * that is gone it releases what an earlier call bound to it.
 *
 * @param context - of the controller; any process may call this at any time, since binding is one atomic write
 * @param key - namespace, name and UID
 * @returns how many addresses were bound
 * @throws {@link IpamError} of store or cluster
 */
export async function bindLate(context: ControllerContext, key: ServiceKey): Promise<number> {
  const found = findUnbound(context, key);
  if (found !== undefined) return bindNamed(context.parts, found.view, found.named);
  if (uidOf(context.parts.feed.get(key.namespace, key.name)) !== key.uid) await releaseIfGone(context, key);
  return 0;
}

function findUnbound(
  context: ControllerContext,
  key: ServiceKey,
): { readonly view: ServiceView; readonly named: Named } | undefined {
  const raw = context.parts.feed.get(key.namespace, key.name);
  const object = raw === undefined || uidOf(raw) !== key.uid ? undefined : readStored(raw);
  const named = unboundOf(context, object);
  return object === undefined || named === undefined ? undefined : { view: object.view, named };
}

async function bindNamed(
  parts: Pick<ControllerContext['parts'], 'book' | 'cluster'>,
  view: ServiceView,
  named: Named,
): Promise<number> {
  const { book } = parts;
  const { uid: serviceUid } = view;
  const read = await readClaimant(parts, storedReview(view), view.annotations[IPAM.reservation]);
  if (!read.ok) return 0; // the namespace is about to go
  const claimant = { ...read.value.claimant, serviceUid };
  const grants = await book.holdings(claimant);
  let count = 0;
  for (const grant of grants.filter(({ state, zone }) => state === 'reserved' && zone === named.zone)) {
    if (!isIn(grant.address, named.addresses)) continue;
    const bound = await book.bind({ claimant, grant });
    if (bound.ok) count += 1; // else another process was faster, or it is the leader's to say why not
  }
  return count;
}

function unboundOf(context: ControllerContext, object: StoredObject | undefined): Named | undefined {
  if (object === undefined || object.view.dying || !isServed(object.view)) return undefined;
  const named = namedBy(object.view);
  if (isKnownBound(context, object, named) || !isAsked(context, object, undefined)) return undefined;
  return named;
}

// One address may stand under several keys.
function namedBy(view: ServiceView): Named {
  const all = namedAddresses(view).flatMap((source) => source.addresses);
  const addresses = all.filter((address, i) => all.findIndex((each) => each.equals(address)) === i);
  return { zone: view.annotations[METALLB.pool] ?? '', addresses };
}

function isKnownBound({ known }: ControllerContext, { view, condition }: StoredObject, named: Named): boolean {
  const { zone, addresses } = named;
  const have = known.find(view.uid)?.have;
  const bound = have?.zone === zone ? have.grants.map(({ address }) => address) : [];
  return addresses.every((address) => isIn(address, bound)) || saysBound(condition, zone, addresses);
}

function placeOf(zone: string, address: Address): string {
  return `${zone}/${address.toString()}`;
}
