import type { Refusal } from '../../operator/errors/outcome';
import { lateBoundProblems } from '../props-kit/placeholder';
import type { IpamOperatorProps } from './ipam-operator-props';

/**
 * Finds late-bound values in props that synth parses, or on which the shape of objects depends.
 *
 * @param props - as given to the operator
 * @returns one refusal for each, with the path of the prop; empty when all of them are plain
 */
export function lateBoundOperatorProblems(props: IpamOperatorProps): readonly Refusal[] {
  const { zones, clusterFamilies, whenUnavailable, zonePools, certificates, platform, createNamespace } = props;
  const read = { zones, clusterFamilies, whenUnavailable, zonePools, certificates, platform, createNamespace };
  const nested = {
    'services.enabled': props.services?.enabled,
    'services.defaultZone': props.services?.defaultZone,
    'services.loadBalancerClasses': props.services?.loadBalancerClasses,
    'networkPolicy.enabled': props.networkPolicy?.enabled,
    'crds.install': props.crds?.install,
    'crds.keep': props.crds?.keep,
  };
  return Object.entries({ ...read, ...nested }).flatMap(([field, value]) => lateBoundProblems(value, field));
}
