import { selectorProblems, type LabelSelector } from '../label-selector';

/**
 * Declares the rule about the conditions of a selector, of which a schema cannot tell whether values fit the operator.
 *
 * @param field - path of the selector, for example `spec.namespaces`
 * @param selectorOf - reads the selector
 * @returns the rule of a kind
 */
export function expressionRule<O>(field: string, selectorOf: (now: O) => LabelSelector | undefined) {
  const faults = (now: O): readonly string[] =>
    selectorProblems(selectorOf(now) ?? {}).map(({ index }) => `${field}.matchExpressions[${String(index)}]`);
  return {
    at: [...field.split('.'), 'matchExpressions', '[]'],
    field: `${field}.matchExpressions`,
    rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && size(self.values) > 0)",
    message: 'must have values with the operators In and NotIn, and none with Exists and DoesNotExist',
    broken: (now: O) => faults(now).length > 0,
    faults,
  };
}
