/**
 * Tells whether two constructs may be meant for one cluster.
 *
 * @param a - cluster of the one; undefined means every cluster of the app
 * @param b - cluster of the other
 * @returns false where both name a cluster, and not the same one
 */
export function mayShareCluster(a: string | undefined, b: string | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}
