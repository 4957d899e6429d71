import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { NAMESPACE_NAME_LABEL } from '../../../operator/contract/label-selector';
import { COMMON_LABELS, NAMES, SELECTOR_LABELS } from '../../objects/names';
import { HEALTH_PORT, type PodPort } from '../process/process-part';
import type { RelatedSystem } from '../process/servers';
import { storeShape, type StoreOwner } from '../store/store-shape';
import type { OperatorNetworkPolicyProps } from './network-policy-props';

const MONITORING = {
  kubernetes: ['monitoring'],
  openshift: ['openshift-monitoring', 'openshift-user-workload-monitoring'],
} as const;
// Policies count the port of the Pod; the DNS Pods of OpenShift listen on another one than their Service.
const DNS_PORTS = { kubernetes: [53], openshift: [53, 5353] } as const;
// another word is refused elsewhere, with the path of the construct
const platformOf = ({ platform }: NetworkPolicyOwner) => (platform === 'openshift' ? platform : 'kubernetes');

/** Props that the policy reads. */
interface NetworkPolicyOwner extends StoreOwner {
  readonly networkPolicy?: OperatorNetworkPolicyProps;
  readonly platform?: 'kubernetes' | 'openshift';
}

/** Connections that the Pods need beside those of every installation. */
export interface PodConnections {
  /** Ports that others connect to. */
  readonly ports: readonly PodPort[];
  readonly relatedSystems: readonly RelatedSystem[];
}

/**
 * Connections that the network lets in and out of the Pods.
 *
 * Kubelets reach the Pods of their node whatever a policy says, so probes need no rule.
 */
export class OperatorNetworkPolicy extends Construct {
  /**
   * Declares the policy.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - of the installation, with the connections that its doors and related systems need
   */
  constructor(scope: Construct, id: string, props: NetworkPolicyOwner & PodConnections) {
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

function ingress(props: NetworkPolicyOwner & PodConnections) {
  const { networkPolicy = {}, ports: open } = props;
  const namespaces = networkPolicy.monitoringNamespaces ?? MONITORING[platformOf(props)];
  const monitors = namespaces.map((name) => ({
    namespaceSelector: { matchLabels: { [NAMESPACE_NAME_LABEL]: name } },
  }));
  const of = (caller: PodPort['caller']) =>
    open.filter((port) => port.caller === caller).map(({ number }) => ({ ports: tcp(number) }));
  // an empty list of peers would mean every peer
  const watched = (rules: readonly k8s.NetworkPolicyIngressRule[]): readonly k8s.NetworkPolicyIngressRule[] =>
    monitors.length === 0 ? [] : rules.map((rule) => ({ ...rule, from: monitors }));
  return [
    // the API server calls from addresses that no selector knows
    ...of('api-server'),
    ...watched([{ ports: tcp(HEALTH_PORT) }]),
    ...of('clients'),
    ...watched(of('monitors')),
  ];
}

function egress(props: NetworkPolicyOwner & PodConnections): k8s.NetworkPolicyEgressRule[] {
  const { networkPolicy = {} } = props;
  const { apiServerPorts = [443, 6443], apiServerCidrs, storeCidrs } = networkPolicy;
  const dns = DNS_PORTS[platformOf(props)].flatMap((port) => [...ports('UDP', [port]), ...tcp(port)]);
  const { port } = storeShape(props);
  return [
    { ports: dns }, // to anywhere: a DNS cache may run on the node
    { ports: tcp(...apiServerPorts), ...to(apiServerCidrs) },
    ...(port === undefined ? [] : [{ ports: tcp(port), ...to(storeCidrs) }]),
    ...props.relatedSystems.map(({ name, port: reached }) => ({
      ports: tcp(reached),
      ...to(networkPolicy[`${name}Cidrs`]),
    })),
  ];
}

const ports = (protocol: 'TCP' | 'UDP', numbers: readonly number[]): k8s.NetworkPolicyPort[] =>
  numbers.map((number) => ({ protocol, port: k8s.IntOrString.fromNumber(number) }));
const tcp = (...numbers: readonly number[]): k8s.NetworkPolicyPort[] => ports('TCP', numbers);

function to(cidrs: readonly string[] | undefined): Pick<k8s.NetworkPolicyEgressRule, 'to'> {
  return cidrs === undefined || cidrs.length === 0 ? {} : { to: cidrs.map((cidr) => ({ ipBlock: { cidr } })) };
}
