import { namesOf, UNNAMED } from './named-objects';
import { refuse, type Outcome } from './outcome';

/** The holder that stands in the way, as far as the store knows it. */
export interface NamedHolder {
  readonly kind: string;
  /** Empty for an object whose name the API server still has to make. */
  readonly name: string;
  /** Name of the namespace; empty where only its UID is known, and for a kind without namespaces. */
  readonly namespace: string;
  readonly namespaceUid: string;
  readonly cluster: string;
}

/** Obstacle to a wished space. */
export interface Obstacle {
  /** Canonical text of the wished address or prefix. */
  readonly wanted: string;
  /** The live one that it overlaps, in the same form. */
  readonly space: string;
  /** Its oldest holder, or the former one in quarantine. */
  readonly holder: NamedHolder;
  /** The object that asks: of objects of other clusters it is told the cluster alone. */
  readonly askedBy: Pick<NamedHolder, 'kind' | 'cluster'>;
}

/** Reason for which no address could be chosen. */
export interface FullPool {
  readonly pool: string;
  readonly family: 4 | 6;
  /** Bits of the wanted prefix; absent: one address. */
  readonly length?: number;
  /** Kind of the object that asks. */
  readonly askedBy: string;
  /** Claims of the pool and family that wait for the end of their quarantine. */
  readonly quarantined: number;
  /** ISO 8601 time when the first of them becomes free. */
  readonly firstFreeAt?: string;
  /** The same as whole seconds from now. */
  readonly firstFreeInSeconds?: number;
}

/** A take, as far as the refusal of a quota names it. */
export interface RefusedTake {
  readonly holder: { readonly owner: NamedHolder };
  readonly limits?: { readonly clusterQuota?: number; readonly namespaceQuota?: number };
}

/** Kind of the objects that know their pool as a zone and are named without their kind, since they make up nearly all. */
export const SERVICE_KIND = 'Service';

function poolWord(kind: string): string {
  return kind === SERVICE_KIND ? 'zone' : 'pool';
}

function spaceText(space: string): string {
  return `${space.includes('/') ? 'prefix' : 'address'} "${space}"`;
}

function nameOf(holder: NamedHolder, askedBy: Obstacle['askedBy']): string {
  const { kind, name, namespace, namespaceUid, cluster } = holder;
  if (!namesOf(askedBy.cluster)(cluster)) return `${UNNAMED} of cluster ${cluster}`;
  const text = name === '' ? '(name not made yet)' : name;
  const before = kind === SERVICE_KIND ? '' : `${kind} `;
  if (namespace !== '') return `${before}"${namespace}/${text}"`;
  if (namespaceUid === '' && kind !== SERVICE_KIND) return `${before}"${text}"`;
  return `${kind === SERVICE_KIND ? 'service' : kind} "${text}" of namespace ${namespaceUid} on cluster ${cluster}`;
}

function overlapOf({ wanted, space }: Obstacle): string {
  return wanted === space ? spaceText(wanted) : `${spaceText(wanted)} overlaps ${spaceText(space)}, which`;
}

/**
 * Refuses a space that a claim holds.
 *
 * @param obstacle - the wished space, and the claim that it overlaps
 * @returns refusal `address/held`
 */
export function refuseHeld(obstacle: Obstacle): Outcome<never> {
  const { wanted: value, holder, askedBy } = obstacle;
  const message = `${overlapOf(obstacle)} is held by ${nameOf(holder, askedBy)}; ask for another one or leave the choice to the ${poolWord(askedBy.kind)}`;
  return refuse('address/held', message, { value });
}

/**
 * Refuses a space that was released a moment ago.
 *
 * @param obstacle - the wished space, and the quarantined one that it overlaps
 * @param end - end of the quarantine: ISO 8601 text, and whole seconds from now
 * @returns refusal `address/quarantined` with `retryAfterSeconds`
 */
export function refuseQuarantined(obstacle: Obstacle, end: { at: string; seconds: number }): Outcome<never> {
  const { wanted: value, holder, askedBy } = obstacle;
  const message = `${overlapOf(obstacle)} is quarantined until ${end.at} and only ${nameOf(holder, askedBy)} may have it back before; ask for another one or try again then`;
  return refuse('address/quarantined', message, { value, retryAfterSeconds: end.seconds });
}

/**
 * Refuses a space that is in use without a claim.
 *
 * @param obstacle - the wished space, and the one in use that it overlaps
 * @param use - the cluster that shows it, and by what
 * @returns refusal `address/held`
 */
export function refuseForeign(
  obstacle: Omit<Obstacle, 'holder'>,
  use: { readonly cluster: string; readonly source: string },
): Outcome<never> {
  const { wanted: value, space, askedBy } = obstacle;
  const before = value === space ? spaceText(value) : `${spaceText(value)} overlaps ${spaceText(space)}, which`;
  const source = namesOf(askedBy.cluster)(use.cluster) ? use.source : UNNAMED;
  const message = `${before} is in use by ${source} of cluster ${use.cluster}, without a claim; ask for another one or leave the choice to the ${poolWord(askedBy.kind)}`;
  return refuse('address/held', message, { value });
}

/**
 * Refuses an automatic choice without free space.
 *
 * @param full - pool, family and what is about to become free
 * @returns refusal `pool/exhausted`
 */
export function refuseExhausted(full: FullPool): Outcome<never> {
  const waiting =
    full.firstFreeAt === undefined
      ? ''
      : `; ${full.quarantined} quarantined, the first of them becomes free at ${full.firstFreeAt}`;
  const seconds = full.firstFreeInSeconds;
  const what = full.length === undefined ? 'address' : `prefix of length ${full.length}`;
  const message = `${poolWord(full.askedBy)} "${full.pool}" has no free IPv${full.family} ${what}${waiting}`;
  return refuse('pool/exhausted', message, {
    value: full.pool,
    ...(seconds === undefined ? {} : { retryAfterSeconds: Math.max(1, seconds) }),
  });
}

/**
 * Refuses one more unbound reservation.
 *
 * @param owner - whose namespace has too many
 * @param limit - most reserved holders of one namespace
 * @returns refusal `reservation/limit`
 */
export function refuseReservation(owner: NamedHolder, limit: number): Outcome<never> {
  const value = owner.namespace === '' ? owner.namespaceUid : owner.namespace;
  const unseen = owner.kind === SERVICE_KIND ? 'stored Service' : `stored ${owner.kind}`;
  const message = `namespace "${value}" has ${limit} addresses reserved that no ${unseen} was seen to use yet, which is the limit; try again in a moment`;
  return refuse('reservation/limit', message, { value });
}

/**
 * Refuses one more address of a pool.
 *
 * @param pool - name of the pool
 * @param quota - most held addresses of the pool
 * @param askedBy - kind of the object that asks
 * @returns refusal `zone/quota`
 */
export function refuseQuota(pool: string, quota: number, askedBy: string): Outcome<never> {
  const message = `${poolWord(askedBy)} "${pool}" has used up its quota of ${quota} addresses`;
  return refuse('zone/quota', message, { value: pool });
}

/**
 * Refuses one more address of a cluster or a namespace.
 *
 * @param whose - what has used up its quota
 * @param request - the take, with its holder and quotas
 * @returns refusal `cluster/quota` or `namespace/quota`
 */
export function refuseShare(whose: 'cluster' | 'namespace', request: RefusedTake): Outcome<never> {
  const { cluster, namespace, namespaceUid } = request.holder.owner;
  const { clusterQuota = 0, namespaceQuota = 0 } = request.limits ?? {};
  if (whose === 'cluster') {
    const message = `cluster "${cluster}" has used up its quota of ${clusterQuota} addresses`;
    return refuse('cluster/quota', message, { value: cluster });
  }
  const value = namespace === '' ? namespaceUid : namespace;
  const message = `namespace "${value}" has used up its quota of ${namespaceQuota} addresses`;
  return refuse('namespace/quota', message, { value });
}

/**
 * Refuses a decision that was made on an older version of a record.
 *
 * @param space - canonical text of the address or prefix
 * @returns refusal `store/conflict`
 */
export function refuseOutdated(space: string): Outcome<never> {
  const message = `the record of ${spaceText(space)} was changed by another writer at the same time; read it again and decide again`;
  return refuse('store/conflict', message, { value: space });
}

/**
 * Refuses a second live holder with one idempotency key.
 *
 * @param space - canonical text of the address or prefix that the key should move to
 * @returns refusal `store/conflict`
 */
export function refuseKeyInUse(space: string): Outcome<never> {
  const message = `the key of the holder that should get ${spaceText(space)} belongs to another live holder; read both again and decide again`;
  return refuse('store/conflict', message, { value: space });
}

/**
 * Refuses a new identity that another cluster has.
 *
 * @param cluster - the identity
 * @param claims - how many live holders it has
 * @returns refusal `cluster/known`
 */
export function refuseKnownCluster(cluster: string, claims: number): Outcome<never> {
  const message = `cluster "${cluster}" has ${claims} claims of its own on record, so no other one can take its name; choose another name, or end those with "ipam delete-cluster"`;
  return refuse('cluster/known', message, { value: cluster });
}

/**
 * Refuses to change a claim that does not exist (any more).
 *
 * @param space - canonical text of the address or prefix
 * @returns refusal `claim/not-found`
 */
export function refuseUnclaimed(space: string): Outcome<never> {
  return refuse('claim/not-found', `${spaceText(space)} has no such holder`, { value: space });
}
