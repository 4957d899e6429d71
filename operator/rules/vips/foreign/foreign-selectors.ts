import { NAMESPACE_NAME_LABEL, type LabelExpression, type LabelSelector } from '../../../contract/label-selector';
import { isMap, listOf } from '../../../contract/loose-json';

/**
 * Selects namespaces by name.
 *
 * @param names - at least one
 * @returns the selector
 */
export function namespacesNamed(names: readonly string[]): LabelSelector {
  return { matchExpressions: [{ key: NAMESPACE_NAME_LABEL, operator: 'In', values: names }] };
}

/**
 * Reads a selector of an object, which the API server checked.
 *
 * @param value - as it stands there
 * @returns its parts that are not empty; undefined where it is absent
 */
export function readSelector(value: unknown): LabelSelector | undefined {
  if (!isMap(value)) return undefined;
  const { matchLabels } = value;
  const matchExpressions = listOf(value['matchExpressions']) as readonly LabelExpression[];
  return {
    ...(isMap(matchLabels) ? { matchLabels: matchLabels as Readonly<Record<string, string>> } : {}),
    ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
  };
}

/** Selectors of which one is enough, as a single one. */
export interface JoinedSelectors {
  readonly selector?: LabelSelector;
  /** True where only the first of them could be kept: it serves less than all did. */
  readonly isNarrower: boolean;
}

/**
 * Joins selectors of which one is enough. An IPGroup has one selector whose parts must all hold, so that is possible only where all
 * ask for values of the same label.
 *
 * @param alternatives - in their order
 * @returns one selector; none where there was none
 */
export function joinSelectors(alternatives: readonly LabelSelector[]): JoinedSelectors {
  const [first, ...others] = alternatives;
  if (first === undefined || others.length === 0)
    return { ...(first === undefined ? {} : { selector: first }), isNarrower: false };
  const wanted = alternatives.map(valuesWanted);
  const key = wanted[0]?.key;
  if (key === undefined || wanted.some((each) => each?.key !== key)) return { selector: first, isNarrower: true };
  const values = [...new Set(wanted.flatMap((each) => each?.values ?? []))];
  return { selector: { matchExpressions: [{ key, operator: 'In', values }] }, isNarrower: false };
}

// The one label that a selector asks for, with the values that it takes.
function valuesWanted({ matchLabels = {}, matchExpressions = [] }: LabelSelector) {
  const parts = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, values: [value] as readonly string[] })),
    ...matchExpressions.map(({ key, operator, values = [] }) => ({ key, values: operator === 'In' ? values : [] })),
  ];
  const [only] = parts;
  return parts.length === 1 && only !== undefined && only.values.length > 0 ? only : undefined;
}
