/**
 * Names the note that tells what a cluster is called since it was renamed.
 *
 * @param cluster - its identity of before
 * @returns name of the note; its text is the new identity, empty where there is none
 */
export function renamedNote(cluster: string): string {
  return `renamed:${cluster}`;
}
