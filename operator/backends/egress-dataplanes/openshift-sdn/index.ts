import { CLOUD_PRIVATE_IP } from '../cloud-private-ip';
import { isServed, type ClusterFacts } from '../cluster-facts';
import type { DataplaneDriver } from '../driver';
import { HOST_SUBNET } from './host-subnet';
import { NET_NAMESPACE } from './net-namespace';
import { OpenShiftSdn } from './openshift-sdn';

/** Platforms on which the SDN cannot distribute addresses by itself. */
const CLOUDS: readonly string[] = ['AWS', 'Azure', 'GCP'];

const optionsOf = (facts: ClusterFacts) => ({
  isCloud: facts.platform === undefined ? isServed(CLOUD_PRIVATE_IP, facts) : CLOUDS.includes(facts.platform),
});

/** OpenShift SDN, by HostSubnets and NetNamespaces. */
export const OPENSHIFT_SDN: DataplaneDriver = {
  name: 'openshift-sdn',
  networkType: 'OpenShiftSDN',
  kinds: [HOST_SUBNET, NET_NAMESPACE],
  optionalKinds: [CLOUD_PRIVATE_IP],
  // only OpenShift has it, and names it; its kinds are on clusters of OVN-Kubernetes too
  isRunning: () => false,
  optionsOf,
  open: (cluster, facts) => new OpenShiftSdn(cluster, optionsOf(facts)),
};
