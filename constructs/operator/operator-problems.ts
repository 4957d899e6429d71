import type { ZoneCatalogue } from '../../operator/contract/zones';
import type { Refusal } from '../../operator/errors/outcome';
import type { IpamOperatorProps } from './ipam-operator-props';
import { alertProblems } from './monitoring/alerts';
import { shapeProblems } from './shape-problems';
import { zonePoolProblems } from './zones/zone-pool-problems';

/**
 * Checks what the zones document does not say: pools, families and shape.
 *
 * @param props - as given to the construct
 * @param zones - none while they are not valid
 * @returns every problem at once
 */
export function operatorProblems(props: IpamOperatorProps, zones: ZoneCatalogue): readonly Refusal[] {
  return [
    ...shapeProblems(props),
    ...zonePoolProblems(props, zones),
    ...alertProblems(props.monitoring?.prometheusRule),
  ];
}
