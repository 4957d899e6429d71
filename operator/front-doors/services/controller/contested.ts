import { isIn, type Address } from '../../../addressing/address';
import { IPAM, METALLB, WAITING_POOL } from '../../../contract/group';
import type { ServiceView } from '../../../contract/service';
import type { Zone, ZoneCatalogue } from '../../../contract/zones';
import { accept, refuse, type Refusal } from '../../../errors/outcome';
import type { AddressBook, Claimant, Grant } from '../../../ports/address-book';
import { zoneAround } from '../../../rules/adoption';
import { isOfZone } from '../../../rules/zone-limits';
import type { ServicesDoorParts } from '../wanted/door-parts';
import { readClaimant } from '../wanted/facts';
import type { AnnotationChanges } from '../wanted/patch';
import { namesExactly } from '../wanted/result-keys';
import { METALLB_KEYS, storedReview } from '../wanted/review';
import { SOON_MS, type ControllerContext, type Look } from './controller-parts';
import type { Known, UnrecordedReason } from './known-services';
import type { StoredObject } from './stored-object';

/** Pause before a Service is looked at again that waits for what the record grants it. */
const GRANTED_PAUSE_MS = 5_000;

/**
 * Pause before what had no place on record is tried again: the IPAM-API may be of a newer version by then, the cluster may show less, or
 * one of those that contest the address may be gone.
 */
const UNRECORDED_PAUSE_MS = 600_000;

const NO_PLACE = refuse('store/no-contests', 'the record has no place for contested addresses');

/** One stored object under work, and what is remembered of it. */
interface Work {
  readonly object: StoredObject;
  readonly known: Known;
}

/**
 * Finds what the status of a Service shows although the record does not grant it.
 *
 * @param object - the stored Service
 * @param granted - what the record grants
 * @returns the other addresses in its status
 */
export function shownBeyond(
  { announced }: Pick<StoredObject, 'announced'>,
  granted: readonly Pick<Grant, 'address'>[],
): readonly Address[] {
  return announced.filter((shown) => !granted.some(({ address }) => address.equals(shown)));
}

/**
 * Tells whether keys would make MetalLB take away an address that a Service shows, without its owner having asked for others.
 *
 * @param object - the stored Service
 * @param granted - what the record grants, whether the keys name it or not
 * @param changes - keys that are due, with what the Service is to have
 * @returns the refusal that keeps them from being written; undefined where they may be
 */
export function withdrawal(
  { view, announced }: Pick<StoredObject, 'view' | 'announced'>,
  granted: readonly Grant[],
  { changes, addresses }: { readonly changes: AnnotationChanges; readonly addresses: readonly Address[] },
): Refusal | undefined {
  const [shown] = shownBeyond({ announced }, granted);
  const own = view.annotations[IPAM.addresses];
  if (shown === undefined || (own !== undefined && namesExactly(own, addresses))) return undefined;
  const steers = [...changes].some(([key, value]) => METALLB_KEYS.includes(key) && view.annotations[key] !== value);
  if (!steers) return undefined;
  const value = shown.toString();
  const message = `status.loadBalancer shows "${value}", so nothing is written that would take it away; name the addresses that the Service is to have in metadata.annotations[${IPAM.addresses}]`;
  return { code: 'address/contested', value, message };
}

/**
 * Puts on record what a Service shows although the record does not grant it, and takes off what it shows no more.
 *
 * @param context - of the controller
 * @param work - the stored object and what is remembered of it
 * @param beyond - what it shows beyond what the record grants
 * @returns the addresses of zones among them; when to come back
 * @throws {@link IpamError} of store or cluster
 */
export async function contestShown(
  context: ControllerContext,
  work: Work,
  beyond: readonly Address[],
): Promise<{ readonly contested: readonly Address[]; readonly look: Look }> {
  const { parts } = context;
  const { known, object } = work;
  const zoned = beyond.flatMap((address) => {
    const zone = zoneOfShown(object.view, parts.zones.current(), address);
    return zone === undefined ? [] : [{ address, zone }];
  });
  const contested = zoned.map(({ address }) => address);
  const ended = await endContested(context, known, contested);
  // what had no place on record may have one now
  const nowMs = parts.clock.nowMs();
  const isOpen = (address: Address): boolean => {
    const missing = known.unrecorded.get(address.toString());
    if (missing === undefined || parts.book.contests === undefined) return false;
    return nowMs - missing.atMs >= UNRECORDED_PAUSE_MS;
  };
  const isFresh = ({ address }: { readonly address: Address }): boolean =>
    isOpen(address) || !isIn(address, known.contested);
  const fresh = isServedClass(parts, object.view) ? zoned.filter(isFresh) : [];
  const isDone = fresh.length === 0 || (await contestAll(context, work, fresh));
  const again = ended ? GRANTED_PAUSE_MS : SOON_MS;
  return { contested, look: isDone && ended ? {} : { again } };
}

/**
 * Ends what a Service contested and shows no more.
 *
 * @param context - of the controller
 * @param known - memory of the Service
 * @param keep - what it contests still
 * @returns false where this has to be repeated
 * @throws {@link IpamError} of store or cluster
 */
export async function endContested(
  { parts: { book, cluster, logger }, known: memory }: ControllerContext,
  known: Known,
  keep: readonly Address[] = [],
): Promise<boolean> {
  if (known.contested.every((address) => isIn(address, keep))) return true;
  const clusterUid = await cluster.clusterUid();
  const request = { serviceUid: known.key.uid, clusterUid, keep };
  const ended = (await book.contests?.endContests(request)) ?? accept([]);
  if (!ended.ok) return false;
  memory.setContested(
    known,
    known.contested.filter((address) => isIn(address, keep)),
  );
  for (const text of known.unrecorded.keys())
    if (!keep.some((each) => each.toString() === text)) known.unrecorded.delete(text);
  const { namespace, name } = known.key;
  const address = ended.value.map(String).join(',');
  if (address !== '') logger.info('contested address given up', { namespace, name, address });
  return true;
}

async function contestAll(
  { parts, known: memory }: ControllerContext,
  { object: { view }, known }: Work,
  fresh: readonly { readonly address: Address; readonly zone: string }[],
): Promise<boolean> {
  const read = await readClaimant(parts, storedReview(view), undefined);
  if (!read.ok) return true; // the namespace is about to go
  const claimant = { ...read.value.claimant, serviceUid: view.uid };
  let isDone = true;
  for (const { address, zone } of fresh) {
    const noted = await contestOne(parts, { claimant, zone, address });
    const text = address.toString();
    if (isUnrecorded(noted)) known.unrecorded.set(text, { why: noted, atMs: parts.clock.nowMs() });
    else known.unrecorded.delete(text);
    if (noted === 'granted' || noted === 'refused') isDone = false;
    else if (!isIn(address, known.contested)) memory.setContested(known, [...known.contested, address]);
  }
  return isDone;
}

/**
 * Puts one address on record that a stored object shows although the record does not grant it.
 *
 * @param parts - the book, the zones, and the logger
 * @param request - the stored object and the address
 * @returns `granted` where the record grants it to the object by now; `refused` where there is no place for it now, such as beside a row of
 *   what others use; or why the record has no place for this contest
 * @throws {@link IpamError} of the store
 */
export async function contestOne(
  { book, logger, zones }: Pick<ServicesDoorParts, 'book' | 'logger' | 'zones'>,
  request: {
    readonly claimant: Claimant & { readonly serviceUid: string };
    readonly zone: string;
    readonly address: Address;
  },
): Promise<'contested' | 'granted' | 'refused' | UnrecordedReason> {
  const { claimant, zone, address } = request;
  const { namespace, service } = claimant;
  const told = { namespace, name: service.serviceName, zone, address: address.toString() };
  const noted = (await book.contests?.contest(request)) ?? NO_PLACE;
  if (noted.ok && !noted.value) return 'granted';
  if (noted.ok) {
    logger.warn('address contested: a Service shows it and the record does not grant it', told);
    return 'contested';
  }
  const { code, message: problem } = noted.refusal;
  const network = zones.current().zone(zone)?.network;
  const missing = await whyUnrecorded(book, { claimant, network, address }, noted.refusal);
  if (missing === 'lacking' || missing === 'quota') {
    const words = 'address contested, but not on record: the IPAM-API may give it to another cluster';
    logger.warn(words, { ...told, code, problem });
  } else logger.debug('contested address is not on record for this Service', { ...told, code, problem });
  return missing ?? 'refused';
}

function isUnrecorded(noted: Awaited<ReturnType<typeof contestOne>>): noted is UnrecordedReason {
  return noted === 'lacking' || noted === 'quota' || noted === 'covered';
}

// The place is what counts: where other Services of the cluster have it on record already, none of another owner gets it. What is only
// retained ends by itself.
async function whyUnrecorded(
  book: Pick<AddressBook, 'owners'>,
  place: { readonly claimant: Claimant; readonly network: string | undefined; readonly address: Address },
  { code }: Refusal,
): Promise<UnrecordedReason | undefined> {
  if (code === 'store/no-contests') return 'lacking';
  if (code !== 'cluster/quota') return undefined;
  const owners = await book.owners(place.claimant.service.clusterUid);
  const isCovered = owners.some(({ network, address, state }) => {
    return network === place.network && address.equals(place.address) && state !== 'retained';
  });
  return isCovered ? 'covered' : 'quota';
}

/**
 * Finds the zone that an address in a status is of: the one that the object names, where the address is of it.
 *
 * @param view - the stored Service
 * @param catalogue - the zones
 * @param address - what its status shows
 * @returns name of the zone; undefined for an address of no zone
 */
export function zoneOfShown(
  { annotations }: Pick<ServiceView, 'annotations'>,
  catalogue: ZoneCatalogue,
  address: Address,
): string | undefined {
  const zone = keyedZone({ annotations }, catalogue) ?? catalogue.zones.find((each) => isOfZone(each, address));
  return zone === undefined ? undefined : zoneAround(catalogue.zones, zone.network, address)?.name;
}

/**
 * Finds the zone that the keys of a stored object name.
 *
 * @param view - the stored Service
 * @param catalogue - the zones
 * @returns the zone; undefined where no key names one that there is
 */
export function keyedZone(
  { annotations }: Pick<ServiceView, 'annotations'>,
  catalogue: Pick<ZoneCatalogue, 'zone'>,
): Zone | undefined {
  const named = [annotations[IPAM.zone], annotations[METALLB.pool], annotations[METALLB.legacyPool]].find(
    (name) => name !== undefined && name !== '' && name !== WAITING_POOL,
  );
  return named === undefined ? undefined : catalogue.zone(named);
}

// What the status of another class says is checked by no load balancer of ours.
function isServedClass({ settings }: Pick<ServicesDoorParts, 'settings'>, view: ServiceView): boolean {
  const { loadBalancerClass } = view;
  return loadBalancerClass === undefined || settings.loadBalancerClasses.includes(loadBalancerClass);
}
