import type { DataplaneChoice } from '../../../ports/egress-dataplane';
import type { EgressPlan, HeldEgress } from '../../../rules/egress/types';
import type { EgressDoorParts } from './door-parts';
import { dataplanesOf } from './record';

type Looking = Pick<EgressDoorParts, 'known' | 'dataplanes'>;

/**
 * Tells what carries the addresses of an EgressIPAM.
 *
 * @param parts - dataplanes of the cluster
 * @param plan - of the EgressIPAM; undefined for one that does not exist
 * @returns name of the dataplane; undefined where there is none
 */
export function carrierOf(
  { dataplanes }: Pick<Looking, 'dataplanes'>,
  plan: Pick<EgressPlan, 'dataplane'> | undefined,
): string | undefined {
  const choice: DataplaneChoice | undefined = plan && dataplanes.choose(plan.dataplane);
  return choice?.kind === 'driver' ? choice.dataplane.name : undefined;
}

/**
 * Lists the dataplanes that may have an address and cannot be looked at: their drivers are switched off.
 *
 * @param parts - record and dataplanes
 * @param held - the address
 * @returns their names; the address must not be released while there are such
 */
export const unseenAt = (
  { known, dataplanes }: Looking,
  { network, address }: Pick<HeldEgress, 'network' | 'address'>,
): readonly string[] =>
  dataplanesOf(known.at({ network, address })).filter((name) => dataplanes.find(name) === 'unseen');
