import type { ZoneCatalogue } from '../../contract/zones';
import type { Refusal } from '../../errors/outcome';
import type { ClaimCounts, PoolTally } from '../../ports/claim-counts';

/**
 * Objects to zones that would move to another network while addresses of theirs are held: the claims stay in the old network,
 * so the zone would give every held address again.
 *
 * @param store - counts what is held
 * @returns judges the next catalogue against the one in force; absent before: that of the start
 */
export function networkGuard(
  store: Pick<ClaimCounts, 'tally'>,
): (next: ZoneCatalogue, before?: ZoneCatalogue) => Promise<readonly Refusal[]> {
  return async (next, before) => {
    const held = (await store.tally()).filter((tally) => tally.held > 0);
    return next.zones.flatMap((zone) => {
      const present = before?.zone(zone.name)?.network;
      if (present === zone.network) return [];
      const own = held.filter((tally) => tally.pool === zone.name);
      const left = own.filter((tally) => tally.network !== zone.network);
      // Claims in both networks: no edit mends that, so a start must not end here for ever.
      const begunThere = present === undefined && left.length < own.length;
      return left.length === 0 || begunThere ? [] : [moved(zone, left)];
    });
  };
}

function moved(
  { name, network }: { readonly name: string; readonly network: string },
  left: readonly PoolTally[],
): Refusal {
  const count = left.reduce((sum, tally) => sum + tally.held, 0);
  const from = [...new Set(left.map((tally) => `"${tally.network}"`))].join(' and ');
  const message = `zone "${name}" cannot move from network ${from} to network "${network}" while ${count} of its addresses are held, since it would give them again; keep the network, or make a zone of another name for the new one`;
  return { code: 'zone/invalid', message, field: `zones[${name}].network`, value: network };
}
