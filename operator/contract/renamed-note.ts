/**
 * Names the note that tells what a cluster is called since it was renamed.
 *
 * @param cluster - its identity of before
 * @returns name of the note; its text is the new identity, empty where there is none
 */
export function renamedNote(cluster: string): string {
  return `renamed:${cluster}`;
}

/**
 * Says that a cluster was renamed.
 *
 * @param from - identity of before
 * @param to - identity on record
 * @returns a sentence with the way out
 */
export function renamedText(from: string, to: string): string {
  return `the record calls cluster "${from}" "${to}" since it was renamed; start its operator with that identity (--cluster-id); ipam rename-cluster ${to} ${from} turns it back afterwards`;
}
