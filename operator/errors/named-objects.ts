/** Stands for an object of another cluster, of whose objects no cluster is told the names. */
export const UNNAMED = 'an object';

/**
 * Tells whether a reader is told the names of objects of a cluster; of the others it is told the cluster alone.
 *
 * @param cluster - cluster of the objects
 * @returns true where they are named
 */
export type MayName = (cluster: string) => boolean;

/**
 * Lets everything be named: the reader is an administrator.
 *
 * @returns true
 */
export const NAMES_ALL: MayName = () => true;

/**
 * Tells which objects may be named to an object that asks: those of its cluster, and claims that administrators made.
 *
 * @param cluster - of the object that asks; empty for administrators, which are told everything
 * @returns the test of a cluster
 */
export function namesOf(cluster: string): MayName {
  return cluster === '' ? NAMES_ALL : (other) => other === cluster || other === '';
}
