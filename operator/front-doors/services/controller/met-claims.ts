import { placeKey } from '../../../addressing/place';
import type { Grant } from '../../../ports/address-book';
import type { MetClaim } from '../../../ports/occupied-addresses';
import type { MetAddresses } from '../wanted/door-parts';

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
    const known = new Map(claims.map((claim) => [identityOf(claim), claim]));
    for (const claim of claims) {
      const place = placeKey(claim);
      const others = byPlace.get(place);
      if (others === undefined) byPlace.set(place, [claim]);
      else others.push(claim);
    }
    this.#claims = byPlace;
    this.#known = new Set(known.keys());
    return [...known].flatMap(([identity, claim]) => (before.has(identity) ? [] : [claim]));
  }

  /** @inheritdoc */
  usesAt(place: Pick<Grant, 'network' | 'address'>): readonly MetClaim['use'][] {
    return this.#claims.get(placeKey(place))?.map(({ use }) => use) ?? [];
  }
}

function identityOf(claim: MetClaim): string {
  const { pool, holder, use } = claim;
  const { cluster, kind, namespace, name, uid } = holder;
  return JSON.stringify([placeKey(claim), pool, cluster, kind, namespace, name, uid, use.cluster, use.source]);
}
