/** Settings of the Cluster API front door. */
export interface ClusterApiProps {
  /**
   * Whether IPAddressClaims of Cluster API that refer to an IPGroup get an address of it. Needs `vips.enabled`, and the kinds of Cluster
   * API in the cluster.
   *
   * @default false
   */
  readonly enabled?: boolean;
}

/** Props that the Cluster API door reads. */
export interface ClusterApiOwner {
  readonly clusterApi?: ClusterApiProps;
}
