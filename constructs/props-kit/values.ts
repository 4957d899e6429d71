import { Lazy } from 'cdk8s';

import { isMap } from '../../operator/contract/loose-json';
import { quoteValue } from '../../operator/contract/quote';
import { nearestWord } from '../../operator/contract/schema-problems';
import { lateBoundProblems, lazyText } from './placeholder';
import { passed, type Fault, type Judged, type Rule } from './rule';

type Plain = string | number | boolean;

/** A rule for a single value. */
export interface ValueProps<T extends Plain> {
  readonly types: readonly ('string' | 'number' | 'boolean')[];
  /** Allowed values, as the message goes on with them. */
  readonly allowed: string;
  /** Holds for what is allowed; everything of the right type where it is absent. */
  readonly holds?: (value: T) => boolean;
  /** True where the value may be a secret by mistake, so that no message shows it. */
  readonly hidden?: boolean;
  /** Words of which one was probably meant. */
  readonly words?: readonly string[];
}

const KINDS: Readonly<Record<string, string>> = { object: 'a map', function: 'a function', undefined: 'nothing' };

/**
 * Tells maps as JSON has them from values of a class, also from those of another realm.
 *
 * @param value - not null
 * @returns true for what `{}` makes
 */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * Tells a value whose own keys are what it says. A Map, a Set or a Date has none, so all that it holds would be lost.
 *
 * @param value - anything
 * @returns true for plain maps, and for values of a class that has fields
 */
export function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return isMap(value) && (isPlain(value) || Object.keys(value).length > 0);
}

/** A URL with a password, such as a connection string that was given in the place of the Secret that holds it. */
const WITH_PASSWORD = /:\/\/[^/?#\s]*:[^/?#\s]*@|\bpassword\s*=/iu;

const isShowable = (value: unknown): value is string => typeof value === 'string' && !WITH_PASSWORD.test(value);

// Lists and maps would flood a message.
function shown(value: unknown): string {
  if (typeof value === 'string') return isShowable(value) ? quoteValue(value) : 'a text with a password';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (typeof value === 'object' && !isPlain(value)) return `a value of class ${value.constructor.name}`;
  return KINDS[typeof value] ?? `a ${typeof value}`;
}

/**
 * Tells values that are known after synth only; their renderer vouches for them.
 *
 * @param value - a prop
 * @returns true for a `Lazy` of cdk8s, and for a placeholder of the renderers
 */
export function isLate(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('<') && lateBoundProblems(value, '').length > 0;
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof Lazy || ('toJSON' in value && lateBoundProblems(value, '').length > 0);
}

/**
 * Refuses a value.
 *
 * @param at - path of the prop
 * @param value - as given
 * @param allowed - what would be right
 * @returns the fault, with the value
 */
export function notAllowed(at: string, value: unknown, allowed: string): Fault {
  const absent = value === null ? 'leave it out, or give' : 'allowed is';
  return {
    field: at,
    message: `${at === '' ? 'props' : at}: ${shown(value)} is not allowed; ${absent} ${allowed}`,
    ...(isShowable(value) ? { value } : {}),
  };
}

const hiddenFault = (at: string, value: unknown, allowed: string): Fault => ({
  field: at,
  message: `${at}: the ${value === '' ? 'empty text' : `given ${Array.isArray(value) ? 'list' : typeof value}`} is not allowed; allowed is ${allowed}`,
});

/**
 * Refuses a `Lazy`: most props are read at once, to decide which objects there are and what is in them.
 *
 * @param at - path of the prop
 * @returns the judgement, with nothing to build with
 */
export const lazyJudged = (at: string): Judged => ({
  valid: undefined,
  faults: [{ field: at, message: lazyText(at) }],
  malformed: true,
});

/**
 * Takes a `Lazy` where the value goes into the manifest as it is.
 *
 * @param rule - for a value that is known
 * @returns the rule
 */
export function lazily<T>(rule: Rule<T>): Rule<T> {
  return { ...rule, judge: (value, at) => (value instanceof Lazy ? passed(value) : rule.judge(value, at)) };
}

function judgeValue<T extends Plain>(props: ValueProps<T>, value: unknown, at: string): Judged {
  if (value instanceof Lazy) return lazyJudged(at);
  if (isLate(value)) return passed(value);
  const fitting = (props.types as readonly string[]).includes(typeof value) && !Number.isNaN(value);
  if (fitting && props.holds?.(value as T) !== false) return passed(value);
  return { valid: fitting ? value : undefined, faults: [faultOf(props, value, at)], malformed: !fitting };
}

function faultOf<T extends Plain>({ allowed, hidden, words = [] }: ValueProps<T>, value: unknown, at: string): Fault {
  if (hidden === true) return hiddenFault(at, value, allowed);
  const meant = typeof value === 'string' ? nearestWord(value, words) : undefined;
  return { ...notAllowed(at, value, allowed), ...(meant === undefined ? {} : { suggestion: meant }) };
}

/**
 * Makes a rule for a single value.
 *
 * @param props - what it may be
 * @returns the rule
 */
export function single<T extends Plain>(props: ValueProps<T>): Rule<T> {
  return { allowed: props.allowed, types: props.types, judge: (value, at) => judgeValue(props, value, at) };
}

/** True or false; a text counts as true in JavaScript whatever it says. */
export const FLAG: Rule<boolean> = single({ types: ['boolean'], allowed: 'true or false' });
/** A number whose range another check knows. */
export const NUMBER: Rule<number> = single({ types: ['number'], allowed: 'a number' });
/** A text with something in it. */
export const SOME_TEXT: Rule<string> = single({
  types: ['string'],
  allowed: 'a text that is not empty',
  holds: (text) => text.trim() !== '',
});
/** A text that may be a secret, or that holds one by mistake. */
export const HIDDEN_TEXT: Rule<string> = single({ types: ['string'], allowed: 'a text', hidden: true });

/**
 * Makes a rule for text whose form another check knows.
 *
 * @returns the rule
 */
export function text<T extends string = string>(): Rule<T> {
  return single<T>({ types: ['string'], allowed: 'a text' });
}

/**
 * Makes a rule for one word of several.
 *
 * @param words - all that are allowed
 * @returns the rule
 */
export function word<T extends string>(...words: readonly T[]): Rule<T> {
  const [last = '', ...others] = words.toReversed();
  const allowed = others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`;
  return single<T>({ types: ['string'], allowed, holds: (value) => words.includes(value), words });
}

/**
 * Makes a rule for text of a form.
 *
 * @param pattern - all of the text
 * @param allowed - the form in words, with an example
 * @param longest - most characters
 * @returns the rule
 */
export function formed(pattern: RegExp, allowed: string, longest = Number.POSITIVE_INFINITY): Rule<string> {
  return single<string>({
    types: ['string'],
    allowed,
    holds: (value) => value.length <= longest && pattern.test(value),
  });
}

/**
 * Makes a rule for an object that another library made.
 *
 * @param allowed - what it is
 * @param member - a member that such an object has
 * @returns the rule
 */
export function having<T extends object>(allowed: string, member: keyof T & string): Rule<T> {
  return {
    allowed,
    judge: (value, at) =>
      typeof value === 'object' && value !== null && member in value
        ? passed(value)
        : { valid: undefined, faults: [notAllowed(at, value, allowed)], malformed: true },
  };
}
