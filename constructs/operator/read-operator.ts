import { readProps, type ReadProps } from '../props-kit/rule';
import type { IpamOperatorProps } from './ipam-operator-props';
import { OPERATOR } from './operator-rules';
import { servesEgress } from './egress-door/egress-process';
import { servesNetworks } from './networks-door/networks-process';
import { servesServices } from './services-door/services-process';
import type { OperatorZone } from './zones/zone-pools-props';
import { ZONES } from './zones/zone-rules';

/** Props of an operator with its zones, which may be none, and its store. */
export interface CompleteOperatorProps extends IpamOperatorProps {
  readonly zones: readonly OperatorZone[];
}

/**
 * Reads the props of an operator. Zones may be left out where nothing needs them: the VIPs, Networks and Egress doors have their records in the
 * cluster, so where no other door is open, no other store is set up unless one is given.
 *
 * @param props - as given to the construct, maybe by plain JavaScript
 * @returns props to build with, and what is wrong with their shape
 */
export function readOperator(props: unknown): ReadProps<CompleteOperatorProps> {
  const { valid, problems, malformed } = readProps<IpamOperatorProps>(OPERATOR, props, 'settings/invalid');
  const { zones = [], store } = valid;
  if (needsObjectsAlone(valid) && zones.length === 0)
    return { valid: { ...valid, zones, store: store ?? { objects: true } }, problems, malformed };
  if (valid.zones !== undefined || malformed) return { valid: { ...valid, zones }, problems, malformed };
  const message = `zones: missing; give ${ZONES.allowed}`;
  return {
    valid: { ...valid, zones },
    problems: [...problems, { code: 'settings/invalid', field: 'zones', message }],
    malformed: true,
  };
}

const needsObjectsAlone = (props: IpamOperatorProps): boolean =>
  (props.vips?.enabled === true || servesNetworks(props) || servesEgress(props)) &&
  !servesServices(props) &&
  props.ipamApi?.expose === undefined &&
  props.netbox === undefined;
