import { isIn, type Address } from '../../../addressing/address';
import { metadataOf, textOf } from '../../../contract/loose-json';
import { serviceIn } from '../../../contract/occupied-source';
import type { Grant } from '../../../ports/address-book';
import type { MetClaim } from '../../../ports/occupied-addresses';
import type { MetAddresses, ServicesDoorParts } from '../wanted/door-parts';
import { boundTo, type Facts } from '../wanted/facts';
import { placeOf } from './known-services';
import type { StoredObject } from './stored-object';

/** Claims of the cluster at addresses that something else shows, as of the newest look at the record. One caller at a time. */
export class MetClaims implements Pick<MetAddresses, 'useAt'> {
  #uses: ReadonlyMap<string, MetClaim['use']> = new Map();

  /**
   * Replaces everything.
   *
   * @param claims - as the record has them
   * @returns those that were not known before
   */
  replace(claims: readonly MetClaim[]): readonly MetClaim[] {
    const before = this.#uses;
    this.#uses = new Map(claims.map((claim) => [placeOf(claim), claim.use]));
    return claims.filter((claim) => before.get(placeOf(claim))?.source !== claim.use.source);
  }

  /** @inheritdoc */
  useAt(place: Pick<Grant, 'network' | 'address'>): MetClaim['use'] | undefined {
    return this.#uses.get(placeOf(place));
  }
}

/**
 * Gives up what a Service has at addresses that something else shows, unless its own status shows them: it never had them in use, and
 * two users of one address break each other. What it wished by number is then refused by the record, everything else chosen anew.
 *
 * @param parts - of the door
 * @param object - the stored Service
 * @param facts - what it holds
 * @returns the facts without what was given up
 * @throws {@link IpamError} of store or cluster
 */
export async function leaveMet(
  parts: ServicesDoorParts,
  { view, announced }: Pick<StoredObject, 'view' | 'announced'>,
  facts: Facts,
): Promise<Facts> {
  const { met, book, logger } = parts;
  const left = await metOnly(parts, announced, facts);
  if (met === undefined || left.length === 0) return facts;
  const isLeft = (grant: Grant): boolean => left.includes(grant);
  const kept = facts.grants.filter((grant) => !isLeft(grant)).map(({ address }) => address);
  const isAnyBound = left.some(({ holderId }) => facts.boundHolders.has(holderId));
  const { clusterUid } = facts.claimant.service;
  if (isAnyBound) await book.releaseByUid({ serviceUid: view.uid, clusterUid, keep: kept });
  for (const grant of left) {
    if (!facts.boundHolders.has(grant.holderId)) await book.undo({ ...grant, created: true });
    const { zone, address } = grant;
    const use = met.useAt(grant);
    if (use !== undefined) met.left(view, address, use);
    logger.info('address given up, since something else shows it', {
      ...{ namespace: view.namespace, name: view.name, zone, address: address.toString(), source: use?.source },
    });
  }
  const bound = [...facts.boundHolders].filter((id) => !left.some(({ holderId }) => holderId === id));
  // they still say which keys are ours and which zone it was, but nothing of them is kept
  const grants = facts.grants.map((grant): Grant => (isLeft(grant) ? { ...grant, state: 'retained' } : grant));
  return { ...facts, grants, boundHolders: new Set(bound) };
}

async function metOnly(
  parts: ServicesDoorParts,
  announced: readonly Address[],
  facts: Facts,
): Promise<readonly Grant[]> {
  const { met } = parts;
  const left: Grant[] = [];
  for (const grant of facts.grants) {
    const isShown = isIn(grant.address, announced);
    if (met === undefined || isShown || !isMet(met, grant)) continue;
    if (!(await isLeaving(parts, facts, met.useAt(grant)))) left.push(grant);
  }
  return left;
}

// A Service that has a claim of its own still shows what it had before, as after an exchange: it goes, so the address comes.
async function isLeaving(
  parts: Pick<ServicesDoorParts, 'book' | 'cluster'>,
  { claimant }: Pick<Facts, 'claimant'>,
  use: MetClaim['use'] | undefined,
): Promise<boolean> {
  const service = use?.cluster === claimant.service.clusterUid ? serviceIn(use.source) : undefined;
  if (service === undefined) return false;
  const { namespace, name } = service;
  const uid = textOf(metadataOf((await parts.cluster.service(namespace, name)) ?? {})['uid']);
  return uid !== '' && (await boundTo(parts, { namespace, uid })).length > 0;
}

function isMet(met: MetAddresses, grant: Grant): boolean {
  return grant.state !== 'retained' && met.useAt(grant) !== undefined;
}
