import type { Grant } from '../../../ports/address-book';
import type { MetClaim } from '../../../ports/occupied-addresses';
import type { MetAddresses } from '../wanted/door-parts';
import { placeOf } from './known-services';

/** Claims of the cluster at addresses that something else shows, as of the newest look at the record. One caller at a time. */
export class MetClaims implements Pick<MetAddresses, 'usesAt'> {
  #claims: ReadonlyMap<string, readonly MetClaim[]> = new Map();
  #known: ReadonlySet<string> = new Set();

  /**
   * Replaces everything.
   *
   * @param claims - as the record has them
   * @returns those that were not known before: another holder, another place, or shown by something else
   */
  replace(claims: readonly MetClaim[]): readonly MetClaim[] {
    const before = this.#known;
    const byPlace = new Map<string, MetClaim[]>();
    for (const claim of claims) byPlace.set(placeOf(claim), [...(byPlace.get(placeOf(claim)) ?? []), claim]);
    this.#claims = byPlace;
    this.#known = new Set(claims.map(identityOf));
    return claims.filter((claim) => !before.has(identityOf(claim)));
  }

  /** @inheritdoc */
  usesAt(place: Pick<Grant, 'network' | 'address'>): readonly MetClaim['use'][] {
    return this.#claims.get(placeOf(place))?.map(({ use }) => use) ?? [];
  }
}

function identityOf(claim: MetClaim): string {
  const { pool, holder, use } = claim;
  const { cluster, kind, namespace, name, uid } = holder;
  return JSON.stringify([placeOf(claim), pool, cluster, kind, namespace, name, uid, use.cluster, use.source]);
}
