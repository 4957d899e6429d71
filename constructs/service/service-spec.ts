import { k8s } from 'cdk8s-plus-28';

import { LOAD_BALANCER } from '../../operator/contract/service';
import type { IpamServicePort, IpamServiceProps, IpFamily } from './ipam-service-props';
import { podLabels } from './pod-labels';

function portOf({ targetPort, protocol = 'TCP', ...rest }: IpamServicePort): k8s.ServicePort {
  if (targetPort === undefined) return { ...rest, protocol };
  const target =
    typeof targetPort === 'number' ? k8s.IntOrString.fromNumber(targetPort) : k8s.IntOrString.fromString(targetPort);
  return { ...rest, protocol, targetPort: target };
}

const FAMILY_OF: Readonly<Record<string, IpFamily>> = { ipv4: 'IPv4', ipv6: 'IPv6' };

/**
 * Decides what the spec says of families: what the user wrote, else what the typed wish needs.
 *
 * @param props - of the Service
 * @returns `ipFamilies` and `ipFamilyPolicy`, absent where Kubernetes decides
 */
export function familySpec(props: IpamServiceProps): Pick<IpamServiceProps, 'ipFamilies' | 'ipFamilyPolicy'> {
  const { ipFamily, ipFamilies, ipFamilyPolicy } = props;
  if (ipFamilies !== undefined || ipFamilyPolicy !== undefined) {
    return {
      ...(ipFamilies === undefined ? {} : { ipFamilies }),
      ...(ipFamilyPolicy === undefined ? {} : { ipFamilyPolicy }),
    };
  }
  const family = ipFamily === undefined ? undefined : FAMILY_OF[ipFamily];
  if (ipFamily === 'dual') return { ipFamilyPolicy: 'RequireDualStack' };
  // any other word is refused by its own check, and says nothing of families
  if (family === undefined) return {};
  // the policy too: without it a Service that has two families keeps both when it is applied again
  return { ipFamilies: [family], ipFamilyPolicy: 'SingleStack' };
}

/**
 * Writes the spec. A field that the user left out stays out, so that a second apply takes nothing from Kubernetes.
 *
 * @param props - as given to the construct
 * @returns a LoadBalancer's fields
 */
export function serviceSpec(props: IpamServiceProps): k8s.ServiceSpec {
  const { externalTrafficPolicy, allocateLoadBalancerNodePorts, loadBalancerClass } = props;
  const selector = podLabels(props);
  const { ipFamilies, ipFamilyPolicy } = familySpec(props);
  return {
    type: LOAD_BALANCER,
    ports: props.ports.map(portOf),
    ...(selector === undefined ? {} : { selector }),
    ...(ipFamilies === undefined ? {} : { ipFamilies: [...ipFamilies] }),
    ...(ipFamilyPolicy === undefined ? {} : { ipFamilyPolicy }),
    ...(externalTrafficPolicy === undefined ? {} : { externalTrafficPolicy }),
    ...(allocateLoadBalancerNodePorts === undefined ? {} : { allocateLoadBalancerNodePorts }),
    ...(loadBalancerClass === undefined ? {} : { loadBalancerClass }),
  };
}
