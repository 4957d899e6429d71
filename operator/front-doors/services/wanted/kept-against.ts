import type { Address } from '../../../addressing/address';
import { IPAM } from '../../../contract/group';
import { annotationPath } from '../../../contract/service-annotations';
import type { Refusal } from '../../../errors/outcome';
import { closedZone } from '../../../rules/zone-wish';
import { closedTo, unknownZone } from '../../../rules/zone-limits';
import type { Facts } from './facts';

/**
 * Finds why a Service would not get its addresses today: the zone is gone, shrank, or is no longer open to its namespace. It
 * keeps them all the same (REQ-05, ADDR-06).
 *
 * @param facts - zones and the namespace of the Service
 * @param zone - that the addresses are of
 * @param addresses - bound to the Service
 * @returns every reason; none where nothing changed since they were given
 */
export function keptAgainst(
  { catalogue, namespace }: Pick<Facts, 'catalogue' | 'namespace'>,
  zone: string,
  addresses: readonly Address[],
): readonly Refusal[] {
  const known = catalogue.zone(zone);
  if (known === undefined) return [unknownZone(catalogue, zone)];
  const closed = closedZone(known, namespace, annotationPath(IPAM.zone));
  const outside = addresses.map((address) => closedTo(known, address));
  return [closed, ...outside].filter((problem) => problem !== undefined);
}
