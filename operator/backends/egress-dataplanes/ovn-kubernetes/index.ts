import { CLOUD_PRIVATE_IP, EGRESS_IP } from '../../../contract/egress-dataplanes';
import { mapOf, metadataOf } from '../../../contract/loose-json';
import { fieldOf, isServed, type ClusterFacts } from '../shared/cluster-facts';
import type { DataplaneDriver } from '../shared/driver';
import { PRIMARY_ADDRESS } from './node-facts';
import { OvnKubernetes } from './ovn-kubernetes';

/** Platforms whose machines get addresses through CloudPrivateIPConfigs; its kind may be installed on others too. */
const CLOUDS: readonly string[] = ['AWS', 'Azure', 'GCP', 'OpenStack'];

const optionsOf = (facts: ClusterFacts) => ({
  isCloud: isServed(CLOUD_PRIVATE_IP, facts) && (facts.platform === undefined || CLOUDS.includes(facts.platform)),
  hasNodeSelector: fieldOf(EGRESS_IP, ['spec', 'egressNodeSelector'], facts) !== undefined,
});

/** OVN-Kubernetes, by EgressIPs. */
export const OVN_KUBERNETES: DataplaneDriver = {
  name: 'ovn-kubernetes',
  networkType: 'OVNKubernetes',
  isRunning: ({ nodes }) =>
    nodes.some((node) => Object.hasOwn(mapOf(metadataOf(node)['annotations']), PRIMARY_ADDRESS)),
  optionsOf,
  open: (cluster, facts) => new OvnKubernetes(cluster, optionsOf(facts)),
};
