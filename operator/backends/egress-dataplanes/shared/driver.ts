import type { EgressDataplaneName } from '../../../contract/egress-dataplanes';
import type { ClusterFacts } from './cluster-facts';
import type { DataplaneCluster } from './dataplane-cluster';
import type { OpenedDataplane } from './opened-dataplane';

/** One dataplane that the operator can drive. */
export interface DataplaneDriver {
  readonly name: EgressDataplaneName;
  /** `status.networkType` of the clusters of OpenShift that have it. */
  readonly networkType: string;
  /**
   * Tells whether the dataplane runs, where the cluster does not name it: its kinds may be installed without it.
   *
   * @param facts - of the cluster
   */
  isRunning(facts: ClusterFacts): boolean;
  /**
   * Reads what the driver is opened with.
   *
   * @param facts - of the cluster
   * @returns flags; a driver is opened anew where one changes
   */
  optionsOf(facts: ClusterFacts): Readonly<Record<string, boolean>>;
  /**
   * Opens the driver.
   *
   * @param cluster - feeds and writers
   * @param facts - of the cluster
   */
  open(cluster: DataplaneCluster, facts: ClusterFacts): OpenedDataplane;
}
