import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from './loose-json';

/** A condition without its time. */
interface TimelessCondition {
  readonly type: string;
  readonly status: string;
}

/**
 * Gives conditions their times: that of the stored condition where its status did not change.
 *
 * @param before - stored status
 * @param conditions - as they are to be
 * @param now - time of those that change, as the API server writes it
 * @returns the same with their times
 */
export function withTimes<C extends TimelessCondition>(
  before: JsonMap,
  conditions: readonly C[],
  now: string,
): readonly (C & { readonly lastTransitionTime: string })[] {
  return conditions.map((each) => ({ ...each, lastTransitionTime: changedAt(before, each) ?? now }));
}

function changedAt(before: JsonMap, { type, status }: TimelessCondition): string | undefined {
  const found = conditionOf(before, type);
  return found?.['status'] === status ? textOf(found['lastTransitionTime']) : undefined;
}

/**
 * Finds a condition.
 *
 * @param status - as the API server has it
 * @param type - the word that no other condition of the object has
 * @returns what is stored; undefined where there is none
 */
export function conditionOf(status: JsonMap, type: string): JsonMap | undefined {
  const found = listOf(status['conditions']).find((each) => isMap(each) && each['type'] === type);
  return isMap(found) ? found : undefined;
}

/**
 * Compares what is stored with what is to be applied, whatever the order of the fields.
 *
 * @param before - stored status
 * @param after - status to apply, which takes away what it does not name
 * @returns true where an apply would change nothing
 */
export function isSameStatus(before: JsonMap, after: JsonMap): boolean {
  const isNamed = Object.keys(before).every((field) => field in after);
  return isNamed && Object.entries(after).every(([field, value]) => textAt(before[field]) === textAt(value));
}

const textAt = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => (isMap(each) ? sorted(each) : each));

const sorted = (map: JsonMap): JsonMap => Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * Tells the generation that a status is about.
 *
 * @param object - as the API server has it
 * @returns `observedGeneration`, or nothing for an object without one
 */
export function observed(object: JsonMap): JsonMap {
  const { generation } = metadataOf(object);
  return typeof generation === 'number' ? { observedGeneration: generation } : {};
}

/**
 * Reads the status of an object.
 *
 * @param object - as the API server has it
 * @returns its status, empty when it has none
 */
export function statusIn(object: JsonMap): JsonMap {
  return mapOf(object['status']);
}
