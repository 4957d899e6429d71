import { isIn, type Address } from '../../../addressing/address';
import { METALLB, WAITING_POOL } from '../../../contract/group';
import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import type { ServiceKey } from '../../../ports/service-feed';
import { announcedAddresses } from '../../../contract/shown-addresses';
import { namesExactly } from '../wanted/result-keys';
import type { ControllerContext } from './controller-parts';
import { uidOf } from './leave';
import { boundTo } from '../wanted/facts';
import type { Serving } from './serve-stored';
import type { StoredObject } from './stored-object';

/** Longest circle that is followed. */
const MOST_MEMBERS = 64;

/**
 * Decides whether a Service may tell MetalLB of its addresses now. After an exchange each one of a circle still shows what the next one
 * is to have. MetalLB gives an address to one Service at a time and does not come back to those that it refused while it moves
 * another one, so keys are written only where the address is not shown any more. One Service has to let go first: the one with the lowest
 * UID, which any process finds again after a restart.
 *
 * @param context - of the controller
 * @param object - the stored Service
 * @param serving - what it has by the record
 * @returns `park`: take its keys away first; `wait`: another one has yet to leave the address
 * @throws {@link IpamError} of store or cluster
 */
export async function exchangeTurn(
  context: ControllerContext,
  object: StoredObject,
  { wasHeld, grants }: Serving & { readonly ok: true },
): Promise<'write' | 'wait' | 'park'> {
  const { view, announced } = object;
  const named = view.annotations[METALLB.addresses];
  const addresses = grants.map(({ address }) => address);
  // without a key nothing was moved: a new Service, or keys that were taken away
  if (!wasHeld || named === undefined || namesExactly(named, addresses)) return 'write';
  const missing = addresses.filter((address) => !isIn(address, announced));
  for (const address of missing) {
    const chain = await chainFrom(context, address, view.uid);
    if (chain === undefined) continue;
    const isFirst = chain.closes && chain.uids.every((uid) => view.uid <= uid);
    return isFirst && view.annotations[METALLB.pool] !== WAITING_POOL ? 'park' : 'wait';
  }
  return 'write';
}

interface Chain {
  readonly uids: readonly string[];
  /** True where the last one is to have what this Service shows. */
  readonly closes: boolean;
}

// The Service that shows the address, the one that shows what that one is to have, and so on; undefined where the address is no obstacle.
async function chainFrom({ parts }: ControllerContext, address: Address, uid: string): Promise<Chain | undefined> {
  const uids: string[] = [];
  let step = await nextStep(parts, address, uid);
  while (step !== undefined && !uids.includes(step.uid) && uids.length < MOST_MEMBERS) {
    uids.push(step.uid);
    const next = shownBy(parts.feed.list(), step.to, step.uid);
    if (uidOf(next) === uid) return { uids, closes: true };
    step = await nextStep(parts, step.to, step.uid);
  }
  return uids.length === 0 ? undefined : { uids, closes: false };
}

// The Service that shows an address and is to have another one in its place; one that keeps what it shows, or of which nothing is on
// record, would never leave.
async function nextStep(
  parts: ControllerContext['parts'],
  address: Address,
  notBy: string,
): Promise<{ readonly uid: string; readonly to: Address } | undefined> {
  const key = keyOf(shownBy(parts.feed.list(), address, notBy));
  if (key === undefined) return undefined;
  const held = (await boundTo(parts, key)).map((grant) => grant.address);
  const to = held.find(({ family }) => family === address.family);
  return to === undefined || isIn(address, held) ? undefined : { uid: key.uid, to };
}

function shownBy(raws: readonly JsonMap[], address: Address, notBy: string): JsonMap | undefined {
  return raws.find((raw) => isIn(address, announcedAddresses(raw)) && uidOf(raw) !== notBy);
}

function keyOf(raw: JsonMap | undefined): ServiceKey | undefined {
  if (raw === undefined) return undefined;
  const { namespace, name, uid } = metadataOf(raw);
  return { namespace: textOf(namespace), name: textOf(name), uid: textOf(uid) };
}
