import { EGRESS_KEYS } from '../../../contract/egress';
import { mapOf, metadataOf, type JsonMap } from '../../../contract/loose-json';
import { statusIn } from '../../../contract/stored-status';
import type { ObjectChange } from '../../../ports/object-feed';

/**
 * Tells whether a change of a Namespace needs work.
 *
 * @param change - as the watch tells it
 * @returns false where nothing changed that this door looks at
 */
export const isNewsOfNamespace = ({ before, after }: ObjectChange): boolean => gistOf(before) !== gistOf(after);

/**
 * Tells whether a change of an EgressIPAM needs work; own writes of the counters come back by the watch.
 *
 * @param change - as the watch tells it
 * @returns false where nothing changed that this door looks at
 */
export function isNewsOfEgressIpam({ before, after }: ObjectChange): boolean {
  if (before === undefined || after === undefined) return true;
  return specGist(before) !== specGist(after) || conditionsGist(before) !== conditionsGist(after);
}

function gistOf(namespace: JsonMap | undefined): string {
  const { uid, labels, deletionTimestamp, annotations } = metadataOf(namespace);
  const own = Object.values(EGRESS_KEYS).map((key) => mapOf(annotations)[key]);
  return JSON.stringify([uid, labels, deletionTimestamp, own]);
}

/**
 * Tells everything of an EgressIPAM that its author decides.
 *
 * @param object - as the API server has it
 * @returns the same for objects that ask for the same
 */
export function specGist(object: JsonMap | undefined): string {
  const { uid, generation, deletionTimestamp, annotations, finalizers } = metadataOf(object);
  return JSON.stringify([uid, generation, deletionTimestamp, annotations, finalizers]);
}

const conditionsGist = (object: JsonMap): string => JSON.stringify(statusIn(object)['conditions']);
