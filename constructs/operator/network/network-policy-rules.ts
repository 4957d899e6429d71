import { distinct, list, props } from '../../props-kit/containers';
import { CIDR, DNS_LABEL } from '../../props-kit/kubernetes-values';
import { FLAG, NUMBER } from '../../props-kit/values';
import type { OperatorNetworkPolicyProps } from './network-policy-props';

/** Props of the NetworkPolicy. */
export const NETWORK_POLICY = props<OperatorNetworkPolicyProps>({
  enabled: FLAG,
  monitoringNamespaces: distinct(list(DNS_LABEL)),
  apiServerCidrs: distinct(list(CIDR)),
  apiServerPorts: distinct(list(NUMBER, 1)), // to Kubernetes an empty list is every port
  storeCidrs: distinct(list(CIDR)),
  netboxCidrs: distinct(list(CIDR)),
  cleanupEventsCidrs: distinct(list(CIDR)),
  splunkCidrs: distinct(list(CIDR)),
});
