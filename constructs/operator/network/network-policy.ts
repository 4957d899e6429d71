import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { NAMESPACE_NAME_LABEL } from '../../../operator/contract/webhook-conditions';
import type { IpamOperatorProps } from '../ipam-operator-props';
import { PORTS } from '../pod/arguments';
import { COMMON_LABELS, NAMES, SELECTOR_LABELS } from '../../objects/names';
import { relatedSystemsOf } from '../related-systems/related-systems';
import { servesServices, storeShape } from '../store/store-shape';

const MONITORING = {
  kubernetes: ['monitoring'],
  openshift: ['openshift-monitoring', 'openshift-user-workload-monitoring'],
} as const;
// Policies count the port of the Pod; the DNS Pods of OpenShift listen on another one than their Service.
const DNS_PORTS = { kubernetes: [53], openshift: [53, 5353] } as const;
// another word is refused elsewhere, with the path of the construct
const platformOf = ({ platform }: IpamOperatorProps) => (platform === 'openshift' ? platform : 'kubernetes');

/**
 * What the network lets in and out of the Pods.
 *
 * Kubelets reach the Pods of their node whatever a policy says, so probes need no rule.
 */
export class OperatorNetworkPolicy extends Construct {
  /**
   * Declares the policy.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - of the installation
   */
  constructor(scope: Construct, id: string, props: IpamOperatorProps) {
    super(scope, id);
    new k8s.KubeNetworkPolicy(this, 'Resource', {
      metadata: { name: NAMES.networkPolicy, namespace: OPERATOR_NAMESPACE, labels: COMMON_LABELS },
      spec: {
        podSelector: { matchLabels: SELECTOR_LABELS },
        policyTypes: ['Ingress', 'Egress'],
        ingress: ingress(props),
        egress: egress(props),
      },
    });
  }
}

function ingress(props: IpamOperatorProps) {
  const { networkPolicy = {}, ipamApi = {} } = props;
  const namespaces = networkPolicy.monitoringNamespaces ?? MONITORING[platformOf(props)];
  const monitors = namespaces.map((name) => ({
    namespaceSelector: { matchLabels: { [NAMESPACE_NAME_LABEL]: name } },
  }));
  return [
    // the API server calls from addresses that no selector knows
    ...(servesServices(props) ? [{ ports: tcp(PORTS.webhook) }] : []),
    // an empty list of peers would mean everybody
    ...(monitors.length === 0 ? [] : [{ ports: tcp(PORTS.health), from: monitors }]),
    ...(ipamApi.expose === undefined ? [] : [{ ports: tcp(PORTS.ipamApi) }]),
  ];
}

function egress(props: IpamOperatorProps): k8s.NetworkPolicyEgressRule[] {
  const { networkPolicy = {} } = props;
  const { apiServerPorts = [443, 6443], apiServerCidrs, storeCidrs } = networkPolicy;
  const dns = DNS_PORTS[platformOf(props)].flatMap((port) => [...ports('UDP', [port]), ...tcp(port)]);
  const { port } = storeShape(props);
  return [
    { ports: dns }, // to anywhere: a DNS cache may run on the node
    { ports: tcp(...apiServerPorts), ...to(apiServerCidrs) },
    ...(port === undefined ? [] : [{ ports: tcp(port), ...to(storeCidrs) }]),
    ...relatedSystemsOf(props).map((system) => ({ ports: tcp(system.port), ...to(system.cidrs) })),
  ];
}

const ports = (protocol: 'TCP' | 'UDP', numbers: readonly number[]): k8s.NetworkPolicyPort[] =>
  numbers.map((number) => ({ protocol, port: k8s.IntOrString.fromNumber(number) }));
const tcp = (...numbers: readonly number[]): k8s.NetworkPolicyPort[] => ports('TCP', numbers);

function to(cidrs: readonly string[] | undefined): Pick<k8s.NetworkPolicyEgressRule, 'to'> {
  return cidrs === undefined || cidrs.length === 0 ? {} : { to: cidrs.map((cidr) => ({ ipBlock: { cidr } })) };
}
