import type { FreedAddress } from '../../ports/address-book';
import type { Claims } from '../../ports/claims';
import type { Clock } from '../../ports/clock';
import type { ZoneSource } from '../../ports/zone-source';

/** Parts of {@link followUnused}. */
export interface UnusedParts {
  readonly claims: Pick<Claims, 'watch'>;
  readonly zones: ZoneSource;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/**
 * Tells each address that was in use without a claim and is so no more. It belonged to no zone, so it is told once for each zone that may
 * give it.
 *
 * @param parts - changes of the record, zones, clock
 * @param listener - is told
 * @returns the function that stops it
 */
export function followUnused(
  { claims, zones, clock }: UnusedParts,
  listener: (freed: FreedAddress) => void,
): () => void {
  return claims.watch(({ kind, network, pool, address }) => {
    if (kind !== 'freed' || pool !== '') return;
    for (const { name: zone, network: of, space } of zones.current().zones) {
      if (of !== network || !space.contains(address)) continue;
      listener({ network, zone, address, freeAtMs: clock.nowMs() });
    }
  });
}
