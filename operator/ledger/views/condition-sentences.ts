import { listOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';

/**
 * Tells a condition of an object in a sentence.
 *
 * @param text - names the object
 * @param condition - that says whether it is ready; undefined where it has none
 * @returns for example `IPAllocation default/n3 is ready since …`
 */
export function conditionSentence(text: string, condition: JsonMap | undefined): string {
  if (condition === undefined) return `${text} has no condition yet`;
  return `${text} ${condition['status'] === 'True' ? 'is ready' : 'waits'} ${sinceText(condition)}`;
}

/**
 * Tells since when, and why, a condition has its status.
 *
 * @param condition - as the API server has it
 * @returns time, reason and message
 */
export function sinceText({ lastTransitionTime, reason, message }: JsonMap): string {
  const why = textOf(message);
  return `since ${textOf(lastTransitionTime)} (${textOf(reason)})${why === '' ? '' : `: ${why}`}`;
}

/**
 * Lists the finalizers of an object that other programs put there.
 *
 * @param object - as the API server has it
 * @param own - of this operator
 * @returns the others
 */
export const otherFinalizers = (object: JsonMap, own: string): readonly string[] =>
  listOf(metadataOf(object)['finalizers'])
    .map(textOf)
    .filter((each) => each !== own);
