import { ANY_MAP } from '../props-kit/containers';
import { jsonOf } from '../props-kit/json-values';
import type { Rule } from '../props-kit/rule';

const PLAIN = jsonOf(ANY_MAP);

/**
 * Takes any map for the spec of an object, whose kind has a schema that judges it.
 *
 * @returns the rule
 */
export function specOf<T>(): Rule<T> {
  return { allowed: PLAIN.allowed, judge: PLAIN.judge };
}
