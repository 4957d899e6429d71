import type { Outcome, Refusal } from '../errors/outcome';

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

/**
 * Refuses what is asked for under the identity of before.
 *
 * @param from - identity of before
 * @param to - identity on record
 * @returns refusal `cluster/renamed`
 */
export function renamedRefusal(from: string, to: string): Refusal {
  return { code: 'cluster/renamed', message: renamedText(from, to), value: from };
}

/**
 * Ends a call with {@link renamedRefusal}.
 *
 * @param from - identity of before
 * @param to - identity on record
 * @returns the outcome of the call
 */
export function refuseRenamed(from: string, to: string): Outcome<never> {
  return { ok: false, refusal: renamedRefusal(from, to) };
}

/**
 * Walks through the renames of a cluster, whose notes are read by the caller.
 *
 * @param cluster - identity of before
 * @param isKnown - tells whether a cluster is on record
 * @yields the name of the next note, in exchange for its text
 * @returns the identity that has its claims now; undefined where it was not renamed, or that one is gone as well
 */
export function* renamesOf(
  cluster: string,
  isKnown: (cluster: string) => boolean,
): Generator<string, string | undefined, string> {
  const seen = new Set([cluster]);
  // it may have been renamed again since, and back
  for (let name = cluster; ; seen.add(name)) {
    name = yield renamedNote(name);
    if (name === '' || seen.has(name)) return undefined;
    if (isKnown(name)) return name;
  }
}

/**
 * Follows the renames of a cluster, with notes that are at hand.
 *
 * @param cluster - identity of before
 * @param record - text of a note, and whether a cluster is on record
 * @returns the identity that has its claims now; undefined where it was not renamed, or that one is gone as well
 */
export function followRenames(
  cluster: string,
  record: { readonly note: (name: string) => string; readonly isKnown: (cluster: string) => boolean },
): string | undefined {
  const renames = renamesOf(cluster, (name) => record.isKnown(name));
  let step = renames.next();
  while (step.done !== true) step = renames.next(record.note(step.value));
  return step.value;
}
