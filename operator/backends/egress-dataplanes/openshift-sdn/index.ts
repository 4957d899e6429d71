import { CLOUD_PRIVATE_IP } from '../../../contract/egress-dataplanes';
import { isServed, type ClusterFacts } from '../shared/cluster-facts';
import type { DataplaneDriver } from '../shared/driver';
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
  // only OpenShift has it, and names it; its kinds are on clusters of OVN-Kubernetes too
  isRunning: () => false,
  optionsOf,
  open: (cluster, facts) => new OpenShiftSdn(cluster, optionsOf(facts)),
};
