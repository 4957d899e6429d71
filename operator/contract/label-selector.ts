import { Type, type TSchema } from '@sinclair/typebox';

import { isMap, listOf, type JsonMap } from './loose-json';
import { labels } from './vocabulary';

/** Label by which a namespace is known to selectors; the API server sets it. */
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';

/** One condition of a {@link LabelSelector}, as Kubernetes has it. */
export interface LabelExpression {
  /** Label key. */
  readonly key: string;
  /** How `values` and the label are compared; an absent label fulfils `NotIn` and `DoesNotExist`. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /**
   * Values for `In` and `NotIn`; with the other two it stays away.
   *
   * @default - none
   */
  readonly values?: readonly string[];
}

/** Chooses objects by their labels; every part must hold, an empty selector chooses all. */
export interface LabelSelector {
  /**
   * Labels that must have exactly these values.
   *
   * @default - none
   */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /**
   * Further conditions.
   *
   * @default - none
   */
  readonly matchExpressions?: readonly LabelExpression[];
}

/** Pattern of a label key with its optional DNS prefix. */
export const LABEL_KEY = '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$';
/** Most characters of a label key. */
export const MAX_LABEL_KEY_LENGTH = 316;
/** Most characters of a label value. */
export const MAX_LABEL_LENGTH = 63;
/** Pattern of a label value. */
export const LABEL_VALUE = '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$';
const key = Type.String({ pattern: LABEL_KEY, description: 'a label key' });
const value = Type.String({ pattern: LABEL_VALUE, description: 'a label value of at most 63 characters' });
const strict = { additionalProperties: false } as const;

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'];
const expression = {
  key,
  operator: Type.Unsafe<LabelExpression['operator']>({
    type: 'string',
    enum: OPERATORS,
  }),
  values: Type.Optional(Type.Array(value)),
} satisfies Record<keyof LabelExpression, TSchema>;

const selector = {
  matchLabels: Type.Optional(Type.Record(Type.String(), value, { propertyNames: key })),
  matchExpressions: Type.Optional(Type.Array(Type.Object(expression, strict))),
} satisfies Record<keyof LabelSelector, TSchema>;

/** Schema of {@link LabelSelector}; unknown keys are refused. */
export const LABEL_SELECTOR_SCHEMA = Type.Object(selector, strict);

/**
 * Declares a selector inside of a kind: bounded, and structural as the API server wants it.
 *
 * @param description - what it chooses
 * @param merging - how the API server merges it; key by key by default
 * @returns the schema
 */
export function labelSelector(description: string, merging: { readonly 'x-kubernetes-map-type'?: 'atomic' } = {}) {
  const bounded = {
    key: Type.String({
      minLength: 1,
      maxLength: MAX_LABEL_KEY_LENGTH,
      pattern: LABEL_KEY,
      description: 'Key of the label',
    }),
    operator: Type.Unsafe<LabelExpression['operator']>({
      type: 'string',
      enum: OPERATORS,
      description: 'How the label is compared with the values',
    }),
    values: Type.Optional(
      Type.Array(Type.String({ maxLength: MAX_LABEL_LENGTH, pattern: LABEL_VALUE }), {
        maxItems: 32,
        description: 'Values for In and NotIn',
      }),
    ),
  };
  return Type.Object(
    {
      matchLabels: Type.Optional(labels(32, 'Labels that must have exactly these values')),
      matchExpressions: Type.Optional(
        Type.Array(Type.Object(bounded), { maxItems: 16, description: 'Further conditions, all of which must hold' }),
      ),
    },
    { description, ...merging },
  );
}

const KEY_FORM = new RegExp(LABEL_KEY, 'u');
const VALUE_FORM = new RegExp(LABEL_VALUE, 'u');

/**
 * Tells whether an object could have a label.
 *
 * @param name - key of the label
 * @param text - its value
 * @returns true where the API server would take both
 */
export function isLabel(name: string, text: string): boolean {
  return name.length <= MAX_LABEL_KEY_LENGTH && KEY_FORM.test(name) && VALUE_FORM.test(text);
}

// What a schema cannot say of one condition, or undefined when it is sound.
function expressionProblem({ operator, values }: JsonMap): string | undefined {
  if (typeof operator !== 'string' || !OPERATORS.some((each) => each === operator)) return undefined; // the schema's
  const wantsValues = operator === 'In' || operator === 'NotIn';
  if (wantsValues && listOf(values).length === 0) return `operator ${operator} needs at least one entry in values`;
  if (!wantsValues && listOf(values).length > 0) return `operator ${operator} takes no values`;
  return undefined;
}

/**
 * Checks what the schema of a selector cannot say.
 *
 * @param of - a selector; what the schema has refused in it is passed over
 * @returns the conditions at fault, by their place in `matchExpressions`
 */
export function selectorProblems(of: {
  readonly matchExpressions?: unknown;
}): readonly { readonly index: number; readonly problem: string }[] {
  return listOf(of.matchExpressions).flatMap((entry, index) => {
    const problem = isMap(entry) ? expressionProblem(entry) : undefined;
    return problem === undefined ? [] : [{ index, problem }];
  });
}

function expressionHolds(entry: LabelExpression, labels: Readonly<Record<string, string>>): boolean {
  const present = Object.hasOwn(labels, entry.key);
  const listed = present && (entry.values ?? []).includes(labels[entry.key] ?? '');
  switch (entry.operator) {
    case 'In':
      return listed;
    case 'NotIn':
      return !listed;
    case 'Exists':
      return present;
    case 'DoesNotExist':
      return !present;
  }
}

/**
 * Tells whether an object with these labels is chosen.
 *
 * @param of - the selector; undefined chooses everything
 * @param labels - labels of the object
 * @returns true when every condition holds
 */
export function selectorMatches(of: LabelSelector | undefined, labels: Readonly<Record<string, string>>): boolean {
  if (of === undefined) return true;
  const wanted = Object.entries(of.matchLabels ?? {});
  return (
    wanted.every(([name, text]) => Object.hasOwn(labels, name) && labels[name] === text) &&
    (of.matchExpressions ?? []).every((entry) => expressionHolds(entry, labels))
  );
}
