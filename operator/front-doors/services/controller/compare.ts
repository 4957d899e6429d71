import { isIn, type Address } from '../../../addressing/address';
import type { JsonMap } from '../../../contract/loose-json';
import { LOAD_BALANCER } from '../../../contract/service';
import { SERVICE_DEFAULTS } from '../../../contract/service-annotations';
import { IPAM } from '../../../contract/group';
import { forEachInTurn } from '../../../ledger/records/others-first';
import type { OwnedAddress } from '../../../ports/address-book';
import type { ServiceKey } from '../../../ports/service-feed';
import { adoptService, isOnRecord } from './adopt-services';
import type { ControllerContext } from './controller-parts';
import type { Known } from './known-services';
import { uidOf } from './leave';
import { isAsked, isLeftAlone } from './reconcile';
import { readStored, type StoredObject } from './stored-object';

/** Services that are adopted at once: the store makes the writes of all of them durable together. */
const AT_ONCE = 32;

/**
 * Compares the record with everything that is stored.
 *
 * @param context - of the controller
 * @param adopts - true for the first comparison: what is in use without a record is put on record before anything else
 * @returns keys of every stored LoadBalancer on which something may be left to do, and of every owner in the record that is none
 * @throws {@link IpamError} of store or cluster; nothing is decided then
 */
export async function compareAll(context: ControllerContext, adopts: boolean): Promise<readonly ServiceKey[]> {
  const { feed, book, cluster } = context.parts;
  const raws = feed.list();
  const owners = await book.owners(await cluster.clusterUid());
  const byUid = await ownersByUid(owners);
  rememberContested(context, owners);
  await forEachInTurn(context.known.all(), (known) => {
    known.recheck ||= needsLook(known, byUid.get(known.key.uid));
  });
  const stored = new Set<string>();
  const due: StoredObject[] = [];
  await forEachInTurn(raws, (raw) => {
    const settled = settledKey(context, raw);
    const object = settled === undefined ? readStored(raw) : undefined;
    if (object?.view.type === LOAD_BALANCER) due.push(object);
    if (settled !== undefined) stored.add(settled.uid);
  });
  for (const { view } of due) stored.add(view.uid);
  if (adopts) await adoptAll(context, due, byUid);
  // a reservation that is not bound yet counts against its namespace
  const isBound = ({ view }: StoredObject): boolean => byUid.has(view.uid);
  const unboundFirst = [...due.filter((each) => !isBound(each)), ...due.filter(isBound)];
  return [...unboundFirst.map(({ view }) => keyOf(view)), ...vanished(owners, stored), ...forgotten(context, stored)];
}

// A look at these would find nothing to do: nearly all of them, so nothing of them is read and none is queued.
function settledKey({ known }: ControllerContext, raw: JsonMap): ServiceKey | undefined {
  const remembered = known.find(uidOf(raw));
  return remembered?.settledOn === raw && !remembered.recheck ? remembered.key : undefined;
}

async function ownersByUid(
  owners: readonly OwnedAddress[],
): Promise<ReadonlyMap<string | undefined, readonly OwnedAddress[]>> {
  const byUid = new Map<string | undefined, OwnedAddress[]>();
  await forEachInTurn(owners, (owner) => {
    const others = byUid.get(owner.serviceUid);
    if (others === undefined) byUid.set(owner.serviceUid, [owner]);
    else others.push(owner);
  });
  return byUid;
}

async function adoptAll(
  context: ControllerContext,
  balancers: readonly StoredObject[],
  byUid: ReadonlyMap<string | undefined, readonly OwnedAddress[]>,
): Promise<void> {
  const isTakeover = byUid.size === 0;
  const todo = balancers.filter(
    (object) =>
      !object.view.dying &&
      isFound(context, object, isTakeover) &&
      !isOnRecord(object, byUid.get(object.view.uid) ?? []),
  );
  const line = todo.values();
  const work = async (): Promise<void> => {
    for (const object of line) await adoptService(context, object, isTakeover);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

// Of an installation that is taken over a tool may have stripped the keys: what shows an address of a zone keeps it all the same.
function isFound(context: ControllerContext, object: StoredObject, isTakeover: boolean): boolean {
  return isAsked(context, object, undefined) || (isTakeover && isLeftAlone(context, object));
}

/** States of owners that are ended when their object is gone; a reservation ends by its lease. */
const STANDING: readonly string[] = ['bound', 'contested'];

const NONE: readonly OwnedAddress[] = [];

// Another process may have changed the record, and no event tells that a Secret was edited.
function needsLook({ have, live }: Known, owners = NONE): boolean {
  if (have === undefined) return false;
  const secret = live?.annotations[IPAM.secret] ?? SERVICE_DEFAULTS.secret;
  if (secret !== SERVICE_DEFAULTS.secret) return true;
  let recorded = 0;
  for (const { state, address } of owners) {
    if (state !== 'bound') continue;
    const isKnown = have.grants.some((grant) => grant.address.equals(address)) || isIn(address, have.old);
    if (!isKnown) return true;
    recorded += 1;
  }
  return recorded !== have.grants.length + have.old.length;
}

function vanished(owners: readonly OwnedAddress[], stored: ReadonlySet<string>): readonly ServiceKey[] {
  const keys = new Map<string, ServiceKey>();
  for (const { serviceUid: uid, namespace, name, state } of owners) {
    if (uid === undefined || !STANDING.includes(state) || stored.has(uid)) continue;
    keys.set(uid, { namespace, name, uid });
  }
  return [...keys.values()];
}

// A Service that showed something when another process led may show it no more.
function rememberContested({ known: memory }: ControllerContext, owners: readonly OwnedAddress[]): void {
  const contested = new Map<string, { readonly key: ServiceKey; readonly addresses: Address[] }>();
  for (const { serviceUid: uid, namespace, name, state, address } of owners) {
    if (uid === undefined || state !== 'contested') continue;
    const entry = contested.get(uid) ?? { key: { namespace, name, uid }, addresses: [] };
    contested.set(uid, entry);
    entry.addresses.push(address);
  }
  for (const { key, addresses } of contested.values()) {
    const known = memory.of(key);
    if (addresses.every((address) => isIn(address, known.contested))) continue;
    memory.setContested(known, addresses);
    known.recheck = true;
  }
}

function forgotten({ known }: ControllerContext, stored: ReadonlySet<string>): readonly ServiceKey[] {
  return [...known.all()].map(({ key }) => key).filter(({ uid }) => !stored.has(uid));
}

function keyOf({ namespace, name, uid }: StoredObject['view']): ServiceKey {
  return { namespace, name, uid };
}
