import { LOAD_BALANCER } from '../../contract/service';
import { SERVICE_DEFAULTS } from '../../contract/service-annotations';
import { IPAM } from '../../contract/group';
import type { Owner } from '../../ports/address-book';
import type { ServiceKey } from '../../ports/service-feed';
import { adoptService, isOnRecord } from './adopt';
import type { ControllerContext } from './controller-parts';
import type { Known } from './known-services';
import { isAsked } from './reconcile';
import { readStored, type StoredObject } from './stored-service';

/** Services that are adopted at once: the store makes the writes of all of them durable together. */
const AT_ONCE = 32;

/**
 * Compares the record with everything that is stored.
 *
 * @param context - of the controller
 * @param adopts - true for the first comparison: what is in use without a record is put on record before anything else
 * @returns keys of every stored LoadBalancer, and of every owner in the record that is none
 * @throws {@link IpamError} of store or cluster; nothing is decided then
 */
export async function compareAll(context: ControllerContext, adopts: boolean): Promise<readonly ServiceKey[]> {
  const { feed, book, cluster } = context.parts;
  const objects = feed.list().flatMap((raw) => readStored(raw) ?? []);
  const owners = await book.owners(await cluster.clusterUid());
  const byUid = ownersByUid(owners);
  const balancers = objects.filter(({ view }) => view.type === LOAD_BALANCER);
  if (adopts) await adoptAll(context, balancers, byUid);
  for (const known of context.known.all()) known.recheck ||= needsLook(known, byUid.get(known.key.uid) ?? []);
  const stored = new Map(balancers.map(({ view }) => [view.uid, keyOf(view)]));
  return [...stored.values(), ...vanished(owners, stored), ...forgotten(context, stored)];
}

function ownersByUid(owners: readonly Owner[]): ReadonlyMap<string | undefined, readonly Owner[]> {
  const byUid = new Map<string | undefined, Owner[]>();
  for (const owner of owners) {
    const others = byUid.get(owner.serviceUid);
    if (others === undefined) byUid.set(owner.serviceUid, [owner]);
    else others.push(owner);
  }
  return byUid;
}

async function adoptAll(
  context: ControllerContext,
  balancers: readonly StoredObject[],
  byUid: ReadonlyMap<string | undefined, readonly Owner[]>,
): Promise<void> {
  const isTakeover = byUid.size === 0;
  const todo = balancers.filter(
    (object) =>
      !object.view.dying &&
      isAsked(context, object.view, undefined) &&
      !isOnRecord(object, byUid.get(object.view.uid) ?? []),
  );
  const line = todo.values();
  const work = async (): Promise<void> => {
    for (const object of line) await adoptService(context, object, isTakeover);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

// Another process may have changed the record, and a Secret tells nobody that it was edited.
function needsLook({ have, live }: Known, owners: readonly Owner[]): boolean {
  if (have === undefined) return false;
  const secret = live?.annotations[IPAM.secret] ?? SERVICE_DEFAULTS.secret;
  if (secret !== SERVICE_DEFAULTS.secret) return true;
  const recorded = owners.filter(({ state }) => state === 'bound').map(({ address }) => address.toString());
  const expected = [...have.grants.map(({ address }) => address), ...have.old].map(String);
  return recorded.length !== expected.length || !expected.every((text) => recorded.includes(text));
}

function vanished(owners: readonly Owner[], stored: ReadonlyMap<string, ServiceKey>): readonly ServiceKey[] {
  const keys = new Map<string, ServiceKey>();
  for (const { serviceUid: uid, namespace, name, state } of owners) {
    if (uid === undefined || state !== 'bound' || stored.has(uid)) continue;
    keys.set(uid, { namespace, name, uid });
  }
  return [...keys.values()];
}

function forgotten({ known }: ControllerContext, stored: ReadonlyMap<string, ServiceKey>): readonly ServiceKey[] {
  return [...known.all()].map(({ key }) => key).filter(({ uid }) => !stored.has(uid));
}

function keyOf({ namespace, name, uid }: StoredObject['view']): ServiceKey {
  return { namespace, name, uid };
}
