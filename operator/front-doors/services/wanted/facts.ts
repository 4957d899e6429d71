import type { Family } from '../../../addressing/address';
import { IPAM, METALLB } from '../../../contract/group';
import type { ZoneCatalogue } from '../../../contract/zones';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { Claimant, Grant } from '../../../ports/address-book';
import type { NamespaceView } from '../../../ports/cluster';
import type { Awaiting } from './admission-deadline';
import type { ServicesDoorParts } from './door-parts';
import type { Review } from './review';

/** Facts that a decision is made from. */
export interface Facts {
  readonly claimant: Claimant;
  readonly namespace: NamespaceView;
  readonly catalogue: ZoneCatalogue;
  /** Families of the cluster, the primary one first. */
  readonly clusterFamilies: readonly Family[];
  /** Families that the MetalLB pools hold. */
  readonly poolFamilies: readonly Family[];
  /** Families that the pool of a zone holds where they were looked at; counts more than `poolFamilies`. */
  readonly familiesOfPool?: (zone: string) => readonly Family[] | undefined;
  /** Claims that the Service holds already, by its UID, its name or its reservation. */
  readonly grants: readonly Grant[];
  /** Holders that are bound to the UID of the stored object; others may be a namesake's that is going. */
  readonly boundHolders: ReadonlySet<string>;
}

/** Keys whose presence on a new object tells that it may have passed here before. */
const TRACES: readonly string[] = [IPAM.addresses, IPAM.reservation, METALLB.pool, METALLB.addresses];

/**
 * Names the claimant of a review. A PUT may leave out UID and name, and a CREATE has no UID, so identity comes from the
 * stored object where there is one; the UID of a request is new on every call and never used (WH-04).
 *
 * @param parts - ports and settings
 * @param review - object and stored object
 * @param reservation - id of a Service without a name
 * @returns the claimant; refusal `namespace/not-found` while the namespace cannot be read
 */
export async function readClaimant(
  { cluster }: Pick<ServicesDoorParts, 'cluster'>,
  review: Review,
  reservation: string | undefined,
): Promise<Outcome<{ claimant: Claimant; namespace: NamespaceView }>> {
  const namespaceRead = begun(cluster.namespace(review.namespace));
  const clusterUid = await cluster.clusterUid();
  const namespace = await namespaceRead;
  if (namespace === undefined) {
    const message = `namespace "${review.namespace}" cannot be read yet; try again in a moment`;
    return refuse('namespace/not-found', message, { field: 'metadata.namespace', value: review.namespace });
  }
  const object = review.stored ?? review.service;
  const claimant: Claimant = {
    service: { serviceName: object.name, namespaceUid: namespace.uid, clusterUid },
    namespace: namespace.name,
    ...(review.stored === undefined ? {} : { serviceUid: review.stored.uid, isSeen: true }),
    ...(reservation === undefined ? {} : { reservation }),
  };
  return accept({ claimant, namespace });
}

// Reads that may go to the API server run side by side. No Promise.all: the answers are known nearly always, and to wait for them
// together costs more than all the rest here. Where an earlier one fails, nothing waits for the others, which may fail as well.
function begun<V>(read: Promise<V>): Promise<V> {
  read.catch(() => undefined);
  return read;
}

/**
 * Gathers the facts of a review.
 *
 * @param parts - ports and settings
 * @param asked - object and stored object, and the id of a Service without a name
 * @param awaiting - is told whose answer is waited for
 * @returns the facts; refusal `namespace/not-found`
 * @throws {@link IpamError} of store or cluster
 */
export async function gatherFacts(
  parts: ServicesDoorParts,
  { review, reservation }: { readonly review: Review; readonly reservation: string | undefined },
  awaiting: Awaiting = {},
): Promise<Outcome<Facts>> {
  awaiting.awaits = 'api-server';
  const familiesRead = begun(parts.cluster.families());
  const read = await readClaimant(parts, review, reservation);
  if (!read.ok) return read;
  const clusterFamilies = await familiesRead;
  const { claimant, namespace } = read.value;
  const mayHold = review.stored !== undefined || TRACES.some((key) => key in review.service.annotations);
  awaiting.awaits = 'store';
  const grants = mayHold ? await parts.book.holdings(claimant) : [];
  const isAnyBound = grants.some(({ state }) => state === 'bound');
  return accept({
    claimant,
    namespace,
    catalogue: parts.zones.current(),
    clusterFamilies,
    poolFamilies: parts.settings.poolFamilies ?? clusterFamilies,
    grants,
    boundHolders: isAnyBound ? await boundHolders(parts, claimant) : new Set(),
    ...(parts.poolFamilies === undefined ? {} : { familiesOfPool: parts.poolFamilies }),
  });
}

async function boundHolders(
  parts: ServicesDoorParts,
  { namespace, serviceUid: uid }: Claimant,
): Promise<ReadonlySet<string>> {
  const grants = uid === undefined ? [] : await boundTo(parts, { namespace, uid });
  return new Set(grants.map(({ holderId }) => holderId));
}

/**
 * Lists what is bound to a stored object, whatever became of the object.
 *
 * @param parts - the address book, and the cluster whose object it is
 * @param key - namespace and UID
 * @returns the grants
 */
export async function boundTo(
  { book, cluster }: Pick<ServicesDoorParts, 'book' | 'cluster'>,
  { namespace, uid }: { readonly namespace: string; readonly uid: string },
): Promise<readonly Grant[]> {
  const unnamed = { serviceName: '', namespaceUid: '', clusterUid: await cluster.clusterUid() };
  const grants = await book.holdings({ service: unnamed, namespace, serviceUid: uid, isSeen: true });
  return grants.filter(({ state }) => state === 'bound');
}
