import { isIn, type Address, type Family } from '../../../addressing/address';
import { IPAM } from '../../../contract/group';
import type { ServiceView } from '../../../contract/service';
import type { ZoneCatalogue } from '../../../contract/zones';
import type { ClaimantSecret, Grant, ReserveRequest } from '../../../ports/address-book';
import { annotationPath } from '../../../contract/service-annotations';
import { zoneAround } from '../../../rules/adoption';
import { closedZone } from '../../../rules/zone-wish';
import { zoneHolding } from '../../../rules/named-zone';
import { collectWishes, namedAddresses } from '../../../rules/wishes';
import { contestOne, keyedZone, shownBeyond, zoneOfShown } from './contested';
import type { ControllerContext } from './controller-parts';
import { readClaimSecret, randomSecret } from '../wanted/default-secret';
import { gatherFacts, type Facts } from '../wanted/facts';
import { storedReview, type Review } from '../wanted/review';
import { termsOf } from '../wanted/service-terms';
import { releaseIfGone } from './leave';
import { readStored, type StoredObject } from './stored-object';
import { isServed } from '../admission/waiting';

/** One address that a stored Service uses and the record does not know. */
interface Orphan {
  readonly address: Address;
  readonly zone: string;
  readonly adopt?: ReserveRequest['adopt'];
}

/**
 * Puts on record what a stored Service uses without a record: an installation of the original that is taken over, a store that
 * was lost or restored from an older backup. It keeps exactly these addresses.
 *
 * @param context - of the controller
 * @param object - a stored LoadBalancer that is ours
 * @param isTakeover - true while nothing of this cluster is on record
 * @throws {@link IpamError} of store or cluster
 */
export async function adoptService(
  context: ControllerContext,
  object: StoredObject,
  isTakeover: boolean,
): Promise<void> {
  const { parts } = context;
  const { view } = object;
  const review = storedReview(view);
  const facts = await gatherFacts(parts, { review, reservation: view.annotations[IPAM.reservation] });
  if (!facts.ok) return; // the namespace is about to go
  const orphans = orphansOf(object, facts.value, isTakeover);
  const adopted = await adoptOrphans(context, { object, review, facts: facts.value }, orphans);
  const granted = [...facts.value.grants, ...adopted];
  const contested = await contestRest(context, object, { facts: facts.value, granted });
  if (adopted.length + contested.length > 0) await endOutdated(context, view, contested);
}

// Replicas adopt by a list of their own, so the leader may have looked at the object already as it is now, and does not look again.
async function endOutdated(
  context: ControllerContext,
  { namespace, name, uid }: ServiceView,
  contested: readonly Address[],
): Promise<void> {
  const { book, cluster } = context.parts;
  const now = await releaseIfGone(context, { namespace, name, uid });
  const keep = (now === undefined ? undefined : readStored(now))?.announced ?? [];
  if (contested.every((address) => isIn(address, keep))) return;
  await book.contests?.endContests({ serviceUid: uid, clusterUid: await cluster.clusterUid(), keep });
}

/** One stored Service that uses addresses without a record. */
interface Orphaned {
  readonly object: StoredObject;
  readonly review: Review;
  readonly facts: Facts;
}

async function adoptOrphans(
  context: ControllerContext,
  { object: { view }, review, facts }: Orphaned,
  orphans: readonly Orphan[],
): Promise<readonly Orphan[]> {
  if (orphans.length === 0) return [];
  const wishes = collectWishes(view);
  const terms = termsOf(review, wishes, { addresses: [] });
  const secret = await secretFor(context, view.namespace, terms.secret);
  const adopted: Orphan[] = [];
  for (const orphan of orphans) {
    const { address, zone, adopt } = orphan;
    const { options, sharing } = terms;
    const isAdopted = await adoptAddress(context, view, {
      claimant: facts.claimant,
      zone,
      family: address.family,
      wish: address,
      secret,
      options,
      sharing,
      writtenKeys: [],
      as: 'lease',
      ...(adopt === undefined ? {} : { adopt }),
    });
    if (isAdopted) adopted.push(orphan);
  }
  return adopted;
}

// What it shows all the same is given to no other claimant, also not in the moment before the Service is looked at.
async function contestRest(
  { parts }: ControllerContext,
  { view, announced }: StoredObject,
  { facts, granted }: { readonly facts: Facts; readonly granted: readonly Pick<Grant, 'address'>[] },
): Promise<readonly Address[]> {
  const claimant = { ...facts.claimant, serviceUid: view.uid };
  const contested: Address[] = [];
  for (const address of shownBeyond({ announced }, granted)) {
    const zone = zoneOfShown(view, facts.catalogue, address);
    const noted = zone === undefined ? undefined : await contestOne(parts, { claimant, zone, address });
    if (noted === 'contested') contested.push(address);
  }
  return contested;
}

async function adoptAddress(
  { parts }: ControllerContext,
  view: ServiceView,
  request: ReserveRequest,
): Promise<boolean> {
  const { book, logger, meter } = parts;
  const { namespace, name, uid } = view;
  const reserved = await book.reserve(request);
  const claimant = { ...request.claimant, serviceUid: uid };
  const bound = reserved.ok ? await book.bind({ claimant, grant: reserved.value }) : reserved;
  meter.count('services_adopted_total', { result: bound.ok ? 'adopted' : 'refused' });
  const address = request.wish?.toString();
  if (bound.ok) logger.info('stored address adopted', { namespace, name, zone: request.zone, address });
  else {
    const { code, message } = bound.refusal;
    logger.warn('stored address not adopted', { namespace, name, zone: request.zone, address, code, problem: message });
  }
  return bound.ok;
}

function orphansOf(object: StoredObject, facts: Facts, isTakeover: boolean): readonly Orphan[] {
  const { grants, catalogue } = facts;
  const { view } = object;
  const missing = ([4, 6] as const).filter((family) => !grants.some((grant) => grant.family === family));
  return missing.flatMap((family) => {
    const address = usedAddress(object, family);
    const zone = address === undefined ? undefined : zoneOf(view, catalogue, address);
    if (address === undefined || zone === undefined || (!isTakeover && isClosed(facts, zone))) return [];
    const adopt = isTakeover ? 'takeover' : rightTo(object, address);
    return [{ address, zone, ...(adopt === undefined ? {} : { adopt }) }];
  });
}

// An editor of a status could else take an address of any zone unseen; it is contested instead.
function isClosed({ catalogue, namespace }: Facts, name: string): boolean {
  const zone = catalogue.zone(name);
  return zone !== undefined && closedZone(zone, namespace, annotationPath(IPAM.zone)) !== undefined;
}

function usedAddress({ view, announced }: StoredObject, family: Family): Address | undefined {
  const named = isServed(view) ? namedAddresses(view).flatMap(({ addresses }) => addresses) : [];
  return [...named, ...announced].find((address) => address.family === family);
}

// Our condition can be written with a right on the status alone, so a Service that has it was served by us before, announced or not.
function rightTo({ condition, announced }: StoredObject, address: Address): Orphan['adopt'] {
  if (condition !== undefined && condition.status !== 'False') return 'served';
  return announced.some((shown) => shown.equals(address)) ? 'announced' : undefined;
}

// The zone that the object names, unless the address is another zone's by now: that one must not give it to another claimant. Where
// a tool stripped the name, the zone that the address is of. An address of no zone is not ours.
function zoneOf(view: ServiceView, catalogue: ZoneCatalogue, address: Address): string | undefined {
  const zone = keyedZone(view, catalogue);
  if (zone === undefined) return zoneHolding([address], catalogue)?.name;
  return (zoneAround(catalogue.zones, zone.network, address) ?? zone).name;
}

// Without its Secret the address cannot be proven until the Service is bound with one again; no other claimant gets it either.
async function secretFor({ parts }: ControllerContext, namespace: string, name: string): Promise<ClaimantSecret> {
  const secret = await readClaimSecret(parts.cluster, namespace, name);
  return secret.ok ? secret.value : { value: randomSecret(), scope: 'namespace' };
}

/**
 * Tells whether the record of a Service is complete.
 *
 * @param object - a stored LoadBalancer that is ours
 * @param owned - addresses on record for it
 * @returns true when everything that it shows is there, and every family that it names
 */
export function isOnRecord(object: StoredObject, owned: readonly Pick<Grant, 'address'>[]): boolean {
  const named = namedAddresses(object.view).flatMap(({ addresses }) => addresses);
  if (shownBeyond(object, owned).length > 0) return false;
  return named.every(({ family }) => owned.some(({ address }) => address.family === family));
}
