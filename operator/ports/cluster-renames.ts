import type { Outcome } from '../errors/outcome';

/** Another identity for a cluster. */
export interface ClusterRename {
  readonly from: string;
  readonly to: string;
  /** Beginnings of keys that name the cluster, and what stands in their place from now on. */
  readonly keys: readonly { readonly from: string; readonly to: string }[];
}

/** Renames of clusters, where the record can make them in one piece. */
export interface ClusterRenames {
  /**
   * Gives everything on record of a cluster to another identity, what ended and what it only shows too; all or none. A note with the
   * name of `renamedNote` tells the new identity from then on, so that the same rename again changes nothing and succeeds.
   *
   * @returns how many live holders the new identity has by that; refusal `cluster/known` where it has live holders of its own
   */
  renameCluster(rename: ClusterRename): Promise<Outcome<{ readonly claims: number }>>;
}
