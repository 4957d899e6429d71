/** Settings of the Cluster API front door. */
export interface ClusterApiProps {
  /**
   * Whether IPAddressClaims of Cluster API get addresses of the pool that they refer to: of an IPGroup with `vips.enabled`, of a
   * NetworkInstance or an IPPrefix with `networks.enabled`. Needs one of both, and the kinds of Cluster API in the cluster.
   *
   * @default false
   */
  readonly enabled?: boolean;
}

/** Props that the Cluster API door reads. */
export interface ClusterApiOwner {
  readonly clusterApi?: ClusterApiProps;
}
