import type { ErrorCode } from '../../operator/errors/catalogue';
import type { Refusal } from '../../operator/errors/outcome';

/** A problem of one value. Its code is that of the construct. */
export type Fault = Omit<Refusal, 'code'>;

/** The judgement of a value. */
export interface Judged {
  /** A value to build with: the value itself, or what is left of it where it has another shape. */
  readonly valid: unknown;
  readonly faults: readonly Fault[];
  /** True where a value is of another kind than its type says, so that checks that look into it would fail. */
  readonly malformed: boolean;
}

/** Judges values of which it does not matter here what type they have. */
export interface Judge {
  /** Allowed values, for messages. */
  readonly allowed: string;
  /** Judges a value that is there. */
  readonly judge: (value: unknown, at: string) => Judged;
  /** The props that there are, for a rule over a map of props. */
  readonly keys?: readonly string[];
  /** Absent for a prop that may be left out. */
  readonly need?: Need;
  /** Types of a single value; absent for maps and lists. */
  readonly types?: readonly ('string' | 'number' | 'boolean')[];
  /** Finds the rule for what stands inside of a map or list under a key; absent where no rule looks inside. */
  readonly within?: (key: string) => Judge | undefined;
}

/** Judges the values of a prop of type `T`. Callers in plain JavaScript have no compiler that would do it. */
export interface Rule<T> extends Judge {
  /** Never set. It ties the rule to the type of the prop, so that the one cannot change without the other. */
  readonly type?: (value: T) => T;
}

/** Terms of a prop that must be there. */
export interface Need {
  /** Stands in for an absent value until synth has failed. */
  readonly fallback: unknown;
  /** True where another check reports the absence. */
  readonly reported: boolean;
}

/** The rule of a prop that must be there. */
interface NeededRule<T> extends Rule<T> {
  readonly need: Need;
}

/** One rule for each prop of an interface: a new prop without a rule does not compile, nor does a rule without its prop. */
export type RulesOf<P> = {
  readonly [K in keyof P]-?: Partial<Pick<P, K>> extends Pick<P, K> ? Rule<Exclude<P[K], undefined>> : NeededRule<P[K]>;
};

/**
 * Demands a prop.
 *
 * @param rule - for the value
 * @param fallback - what is built with while it is absent
 * @returns the rule
 */
export function needed<R extends Judge>(rule: R, fallback: unknown): R & { readonly need: Need } {
  return { ...rule, need: { fallback, reported: false } };
}

/**
 * Leaves it to another check to demand a prop.
 *
 * @param rule - for the value
 * @returns the rule
 */
export function neededElsewhere<R extends Judge>(rule: R): R & { readonly need: Need } {
  return { ...rule, need: { fallback: undefined, reported: true } };
}

/**
 * Finds nothing wrong.
 *
 * @param value - as given
 * @returns the same, to be built with
 */
export const passed = (value: unknown): Judged => ({ valid: value, faults: [], malformed: false });

/** Props as they were read. */
export interface ReadProps<P> {
  /** The props; where their shape is not that of their type, what is left of them. */
  readonly valid: P;
  readonly problems: readonly Refusal[];
  /** True where further checks make no sense. */
  readonly malformed: boolean;
}

/**
 * Reads the props of a construct as plain JavaScript may have given them.
 *
 * @param rule - for all of them
 * @param props - whatever was handed in
 * @param code - of the refusals
 * @returns props to build with, and every problem at once
 */
export function readProps<P>(rule: Rule<P>, props: unknown, code: ErrorCode): ReadProps<P> {
  const { valid, faults, malformed } = rule.judge(props, '');
  return { valid: valid as P, problems: faults.map((fault) => ({ code, ...fault })), malformed };
}

/**
 * Writes the path of a prop that stands among others.
 *
 * @param at - path of the others, empty for the props of the construct
 * @param key - its last step
 * @returns for example `store.postgres`
 */
export const inside = (at: string, key: string): string => (at === '' ? key : `${at}.${key}`);
