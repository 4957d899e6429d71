import type { Family } from '../../addressing/address';
import { selectorProblems, type LabelExpression, type LabelSelector } from '../../contract/label-selector';
import { isMap, listOf, mapOf, textOf } from '../../contract/loose-json';
import { NEPHIO, SELECTABLE_KEYS, SYSTEM_KEYS } from '../../contract/nephio';
import { quoteValue } from '../../contract/quote';
import { accept, refuse, type Outcome } from '../../errors/outcome';

const FIELD = 'spec.selector';
const OPERATORS: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];
const MOST_CONDITIONS = 32;

const invalid = (why: string): Outcome<never> => refuse('selector/invalid', `${FIELD}: ${why}`, { field: FIELD });

function isExpression(value: unknown): value is LabelExpression {
  if (!isMap(value) || textOf(value['key']) === '') return false;
  const values = value['values'] ?? [];
  return (
    OPERATORS.includes(textOf(value['operator'])) &&
    Array.isArray(values) &&
    values.every((each) => typeof each === 'string')
  );
}

function shapeOf(raw: unknown): Outcome<LabelSelector> {
  if (!isMap(raw)) return invalid(`is missing; name the NetworkInstance by the label ${NEPHIO.networkInstance}`);
  const labels = mapOf(raw['matchLabels']);
  const expressions = listOf(raw['matchExpressions']);
  const wrong = Object.entries(labels).find(([, value]) => typeof value !== 'string');
  if (wrong !== undefined) return invalid(`matchLabels has no text for ${quoteValue(wrong[0])}`);
  if (!expressions.every(isExpression)) {
    return invalid(`matchExpressions must have a key, one of ${OPERATORS.join(', ')}, and values that are texts`);
  }
  const [problem] = selectorProblems({ matchExpressions: expressions });
  if (problem !== undefined) return invalid(`matchExpressions[${String(problem.index)}]: ${problem.problem}`);
  return accept({ matchLabels: labels as Readonly<Record<string, string>>, matchExpressions: expressions });
}

const keysOf = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): readonly string[] => [
  ...Object.keys(matchLabels),
  ...matchExpressions.map(({ key }) => key),
];

/**
 * Reads the selector of a request.
 *
 * @param raw - `spec.selector`
 * @returns the selector; or `selector/invalid`, `label/reserved`, `label/too-many`
 */
export function readSelector(raw: unknown): Outcome<LabelSelector> {
  const shape = shapeOf(raw);
  if (!shape.ok) return shape;
  const keys = keysOf(shape.value);
  const reserved = keys.find((key) => SYSTEM_KEYS.includes(key) && !SELECTABLE_KEYS.includes(key));
  if (reserved !== undefined) {
    const message = `${FIELD}: "${reserved}" cannot be selected by; of the labels that the system sets ${SELECTABLE_KEYS.join(', ')} can`;
    return refuse('label/reserved', message, { field: FIELD, value: reserved });
  }
  if (keys.length <= MOST_CONDITIONS) return shape;
  const message = `${FIELD}: has ${String(keys.length)} conditions; at most ${String(MOST_CONDITIONS)} are allowed`;
  return refuse('label/too-many', message, { field: FIELD });
}

/**
 * Finds the values that a selector allows for a label.
 *
 * @param selector - of a request
 * @param key - of the label
 * @returns the values; undefined where the selector names none
 */
export function valuesFor(selector: LabelSelector, key: string): readonly string[] | undefined {
  const value = selector.matchLabels?.[key];
  if (value !== undefined) return [value];
  return selector.matchExpressions?.find((each) => each.key === key && each.operator === 'In')?.values;
}

/**
 * Finds the family that a selector demands.
 *
 * @param selector - of a request
 * @returns the family, undefined for either; or `selector/invalid` for a family that does not exist
 */
export function familyFor(selector: LabelSelector): Outcome<Family | undefined> {
  const values = valuesFor(selector, NEPHIO.addressFamily);
  if (values === undefined) return accept(undefined);
  const families = values.flatMap((value): Family[] => (value === 'ipv4' ? [4] : value === 'ipv6' ? [6] : []));
  if (families.length !== values.length || families.length === 0) {
    return invalid(`${NEPHIO.addressFamily} is "${values.join(', ')}"; ipv4 and ipv6 are allowed`);
  }
  return accept(families.length === 1 ? families[0] : undefined);
}

/**
 * Tells whether a selector names more than the system's own labels, so that what other requests were given may be given from as well.
 *
 * @param selector - of a request
 * @returns true where it names a label of an author, or a prefix by name
 */
export function namesMore(selector: LabelSelector): boolean {
  return keysOf(selector).some((key) => key === NEPHIO.prefixName || !SELECTABLE_KEYS.includes(key));
}
