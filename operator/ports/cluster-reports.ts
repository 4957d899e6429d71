/** One cluster that has claims or has reported. */
export interface ClusterTally {
  readonly cluster: string;
  readonly name: string;
  /** Live holders. */
  readonly claims: number;
  /** By the store's clock. */
  readonly reportedAtMs?: number;
}

/** Which clusters told that they are there, kept beside the claims. */
export interface ClusterReports {
  /** Notes that a cluster sent a complete list of its objects now. An empty name leaves the known one. */
  reportCluster(report: { readonly cluster: string; readonly name: string }): Promise<undefined>;
  /** Lists clusters by UID; holders outside of any cluster count for none. */
  clusters(): Promise<readonly ClusterTally[]>;
}
