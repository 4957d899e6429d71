import type { ClusterNetwork } from '../contract/platform-networks';

/** Networks of Pods and Services of the own cluster, as far as it tells them. */
export interface ClusterNetworks {
  list(): readonly ClusterNetwork[];
  /**
   * Adds a listener for changes.
   *
   * @returns the function that takes it away
   */
  onChange(listener: () => void): () => void;
}
