import { Lazy } from 'cdk8s';

import { listOf, type JsonMap } from '../../operator/contract/loose-json';
import { quoteValue } from '../../operator/contract/quote';
import { nearestWord } from '../../operator/contract/schema-problems';
import { inside, passed, type Fault, type Judge, type Judged, type Rule, type RulesOf } from './rule';
import { hasFields, isLate, lazyJudged, notAllowed } from './values';

/** Most props that a refusal names. */
const NAMED_PROPS = 8;

function mapOf(keys: readonly string[]): string {
  const more = keys.length > NAMED_PROPS ? ', …' : '';
  return `a map of props (${keys.slice(0, NAMED_PROPS).join(', ')}${more})`;
}

/** Props that there are, and paths of those inside of them. */
interface KnownProps {
  readonly keys: readonly string[];
  readonly deeper?: readonly string[];
}

/**
 * Refuses a prop that does not exist. TypeScript says so earlier, but plain JavaScript would drop a wish without a word (POOL-11).
 *
 * @param at - path of the props that it is among
 * @param key - as written
 * @param known - the props that there are
 * @returns the fault, with the prop that was probably meant
 */
function unknownProp(at: string, key: string, { keys, deeper = [] }: KnownProps): Fault {
  const field = inside(at, key);
  const meant = deeper.find((path) => path.endsWith(`.${key}`)) ?? nearestWord(key, keys);
  const hint = meant === undefined ? `the props are ${keys.join(', ')}` : `did you mean ${meant}?`;
  return {
    field,
    message: `${field}: there is no such prop; ${hint}`,
    ...(meant === undefined ? {} : { suggestion: meant }),
  };
}

type Entries = readonly (readonly [key: string, rule: Judge])[];

const entriesOf = (rules: object): Entries => Object.entries(rules as Readonly<Record<string, Judge>>);

function judgeAbsent({ need, allowed }: Judge, at: string): Judged {
  if (need === undefined) return passed(undefined);
  const faults = need.reported ? [] : [{ field: at, message: `${at}: missing; give ${allowed}` }];
  return { valid: need.fallback, faults, malformed: !need.reported };
}

// A prop of another shape falls back to its default, so that the rest can be built and judged as well.
function judgeProp(rule: Judge, value: unknown, at: string): Judged {
  if (value === undefined) return judgeAbsent(rule, at);
  const judged = rule.judge(value, at);
  return judged.valid === undefined && rule.need !== undefined ? { ...judged, valid: rule.need.fallback } : judged;
}

function judgeProps(rules: Entries, value: unknown, at: string): Judged {
  const wrong = hasFields(value) ? [] : [notAllowed(at, value, mapOf(rules.map(([key]) => key)))];
  const props: JsonMap = hasFields(value) ? value : {};
  let valid = props;
  let malformed = wrong.length > 0;
  const faults: Fault[] = [...wrong];
  for (const [key, rule] of rules) {
    if (props[key] === undefined && rule.need === undefined) continue; // most of them, in an app of thousands of Services
    const judged = judgeProp(rule, props[key], inside(at, key));
    malformed ||= judged.malformed;
    if (wrong.length === 0) faults.push(...judged.faults);
    if (judged.valid === props[key]) continue;
    const { [key]: _replaced, ...rest } = valid;
    valid = judged.valid === undefined ? rest : { ...rest, [key]: judged.valid };
  }
  return { valid, faults, malformed };
}

/**
 * Finds the props that do not exist.
 *
 * @param value - a map of props, or whatever stands in its place
 * @param at - path of it
 * @param known - the props that there are, and those inside of them, for one that was written too far outside
 * @returns one fault for each
 */
export function unknownProps(value: unknown, at: string, known: KnownProps): readonly Fault[] {
  const keys = new Set(known.keys);
  const unknown = hasFields(value) ? Object.keys(value).filter((key) => !keys.has(key)) : [];
  return unknown.map((key) => unknownProp(at, key, known));
}

/**
 * Makes a rule for a map of props, of which each has its own rule and no other exists.
 *
 * @param rules - one for each prop of the interface
 * @returns the rule
 */
export function props<P extends object>(rules: RulesOf<P>): Rule<P> {
  const [entries, keys] = [entriesOf(rules), Object.keys(rules)];
  const byKey = new Map(entries);
  const deeper = entries.flatMap(([key, rule]) => (rule.keys ?? []).map((below) => inside(key, below)));
  return {
    allowed: mapOf(keys),
    keys,
    within: (key) => byKey.get(key),
    judge: (value, at) => {
      if (value instanceof Lazy) return lazyJudged(at);
      const judged = judgeProps(entries, value, at);
      const unknown = unknownProps(value, at, { keys, deeper });
      return unknown.length === 0 ? judged : { ...judged, faults: [...unknown, ...judged.faults] };
    },
  };
}

/**
 * Makes a rule for a map of which another check knows the rest.
 *
 * @param rules - for the props that are looked at here
 * @returns the rule
 */
export function someProps<P extends object, K extends keyof P>(rules: RulesOf<Pick<P, K>>): Rule<P> {
  const entries = entriesOf(rules);
  const byKey = new Map(entries);
  return {
    allowed: mapOf(Object.keys(rules)),
    within: (key) => byKey.get(key),
    judge: (value, at) => (value instanceof Lazy ? lazyJudged(at) : judgeProps(entries, value, at)),
  };
}

/** A list of a type of ours, and of one of cdk8s, which is not readonly. */
export type ListRule<T> = Rule<readonly T[]> & Rule<T[]>;

/**
 * Makes a rule for a list.
 *
 * @param item - rule for each item
 * @param least - how many there must be
 * @returns the rule
 */
export function list<T>(item: Rule<T>, least = 0): ListRule<T> {
  const allowed = `a list, each item ${item.allowed}`;
  return {
    allowed,
    within: () => item,
    judge: (value: unknown, at: string): Judged => {
      if (value instanceof Lazy) return lazyJudged(at);
      if (isLate(value)) return passed(value);
      if (!Array.isArray(value)) return { valid: undefined, faults: [notAllowed(at, value, allowed)], malformed: true };
      if (value.length < least) {
        const message = `${at}: an empty list is not allowed; leave it out, or give ${allowed}`;
        return { valid: value, faults: [{ field: at, message }], malformed: false };
      }
      const judged = value.map((each: unknown, i) => item.judge(each, `${at}[${String(i)}]`));
      const changed = judged.some(({ valid }, i) => valid !== value[i]);
      return {
        valid: changed ? judged.flatMap(({ valid }) => (valid === undefined ? [] : [valid])) : value,
        faults: judged.flatMap(({ faults }) => faults),
        malformed: judged.some(({ malformed }) => malformed),
      };
    },
  };
}

/**
 * Makes a rule for a list of texts or numbers of which each stands there once, as the operator's options demand.
 *
 * @param of - rule for the list
 * @returns the rule
 */
export function distinct<T extends string | number>(of: ListRule<T>): ListRule<T> {
  return {
    ...of,
    judge: (value: unknown, at: string): Judged => {
      const judged = of.judge(value, at);
      const items = listOf(value);
      const faults = items.flatMap((item, i): readonly Fault[] => {
        const first = items.indexOf(item);
        if ((typeof item !== 'string' && typeof item !== 'number') || first === i) return [];
        const field = `${at}[${String(i)}]`;
        const shown = typeof item === 'string' ? quoteValue(item) : String(item);
        const message = `${field}: ${shown} is ${at}[${String(first)}] already; give each at most once`;
        return [{ field, message, value: String(item) }];
      });
      return faults.length === 0 ? judged : { ...judged, faults: [...judged.faults, ...faults] };
    },
  };
}

/**
 * Makes a rule for a map from keys of the user's own.
 *
 * @param key - rule for each key
 * @param item - rule for each value
 * @returns the rule
 */
export function mapped<T>(key: Rule<string>, item: Rule<T>): Rule<Readonly<Record<string, T>>> {
  const allowed = `a map, each key ${key.allowed}, each value ${item.allowed}`;
  return {
    allowed,
    within: () => item,
    judge: (value, at) => {
      if (value instanceof Lazy) return lazyJudged(at);
      if (isLate(value)) return passed(value);
      if (!hasFields(value)) return { valid: undefined, faults: [notAllowed(at, value, allowed)], malformed: true };
      const judged = Object.entries(value).flatMap(([name, each]) =>
        each === undefined
          ? []
          : [{ name, of: item.judge(each, `${at}[${name}]`), keyFaults: key.judge(name, `${at}[${name}]`).faults }],
      );
      const changed = judged.some(({ name, of }) => of.valid !== value[name]);
      const kept = judged.filter(({ of }) => of.valid !== undefined).map(({ name, of }) => [name, of.valid]);
      return {
        valid: changed ? Object.fromEntries(kept) : value,
        faults: judged.flatMap(({ of, keyFaults }) => [...keyFaults, ...of.faults]),
        malformed: judged.some(({ of }) => of.malformed),
      };
    },
  };
}

/** A map that another check looks into. */
export const ANY_MAP: Rule<Readonly<Record<string, unknown>>> = {
  allowed: 'a map',
  judge: (value, at) =>
    hasFields(value) ? passed(value) : { valid: undefined, faults: [notAllowed(at, value, 'a map')], malformed: true },
};
