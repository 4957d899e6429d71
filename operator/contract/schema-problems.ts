import type { ErrorObject } from 'ajv';

import type { ErrorCode } from '../errors/catalogue';
import type { Refusal } from '../errors/outcome';
import { quoteValue } from './quote';

// A JSON pointer such as `/zones/0/name` as people write it: `zones[0].name`.
function readablePath(pointer: string, key?: string): string {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const all = key === undefined ? steps : [...steps, key];
  return all.map((step, i) => (/^\d+$/.test(step) ? `[${step}]` : i === 0 ? step : `.${step}`)).join('');
}

// Edits (insert, delete, replace) that turn one word into the other.
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of Array.from(from).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(to).entries()) {
      const kept = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(kept, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/**
 * Finds the word that was probably meant.
 *
 * @param word - as it was written
 * @param allowed - the words that exist
 * @returns the nearest one, or undefined when none is alike
 */
export function nearestWord(word: string, allowed: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const scored = allowed.map((candidate) => ({ candidate, distance: editDistance(lower, candidate.toLowerCase()) }));
  const best = scored.sort((a, b) => a.distance - b.distance)[0];
  return best !== undefined && best.distance <= Math.max(2, Math.floor(word.length / 3)) ? best.candidate : undefined;
}

// Callers in plain JavaScript may give what JSON cannot hold.
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return Array.isArray(value) ? 'a list that JSON cannot hold' : 'a map that JSON cannot hold';
  }
}

// A long value must not flood the message.
function shown(value: unknown): string {
  if (typeof value === 'string') return quoteValue(value);
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  const text = jsonOf(value);
  if (text === undefined) return 'nothing';
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

const kindOf = (value: unknown): string =>
  value === undefined
    ? 'missing'
    : value === null
      ? 'null'
      : Array.isArray(value)
        ? 'a list'
        : typeof value === 'object'
          ? 'a map'
          : `${typeof value} ${shown(value)}`;
const KIND_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of fields',
};

function unknownKey(error: ErrorObject): Omit<Refusal, 'code'> {
  const key = (error.params as { additionalProperty: string }).additionalProperty;
  const allowed = Object.keys((error.parentSchema?.['properties'] ?? {}) as object);
  const meant = nearestWord(key, allowed);
  const hint = meant === undefined ? '' : `; did you mean ${shown(meant)}?`;
  const where = readablePath(error.instancePath, key);
  return {
    field: where,
    message: `${where}: unknown field ${shown(key)}; ${allowed.length === 0 ? 'none is allowed here' : `allowed here are ${allowed.join(', ')}`}${hint}`,
    ...(meant === undefined ? {} : { suggestion: meant }),
  };
}

function wrongKind(error: ErrorObject): string {
  const wanted = KIND_NAMES[(error.params as { type: string }).type] ?? 'another kind of value';
  const quote = wanted === 'text' && /^(number|boolean)$/.test(typeof error.data) ? ' (put it in quotes)' : '';
  return `must be ${wanted}, but is ${kindOf(error.data)}${quote}`;
}

/** Sentences for each keyword of our schemas. */
const SAYINGS: Readonly<Record<string, (error: ErrorObject) => string>> = {
  type: wrongKind,
  const: (e) => `must be ${shown((e.params as { allowedValue: unknown }).allowedValue)}, but is ${shown(e.data)}`,
  enum: (e) =>
    `must be one of ${shown((e.params as { allowedValues: unknown }).allowedValues)}, but is ${shown(e.data)}`,
  pattern: (e) => `must be ${String(e.parentSchema?.['description'])}, but is ${shown(e.data)}`,
  minItems: () => 'must not be empty',
  minLength: (e) => {
    const { limit } = e.params as { limit: number };
    return limit < 2 ? 'must not be empty' : `must have at least ${String(limit)} characters, but is ${shown(e.data)}`;
  },
  maxLength: (e) =>
    `must have at most ${String((e.params as { limit: number }).limit)} characters, but is ${shown(e.data)}`,
  minimum: (e) => `must be at least ${String((e.params as { limit: number }).limit)}, but is ${shown(e.data)}`,
  maximum: (e) => `must be at most ${String((e.params as { limit: number }).limit)}, but is ${shown(e.data)}`,
};

function problemOf(error: ErrorObject): Omit<Refusal, 'code'> {
  if (error.keyword === 'additionalProperties') return unknownKey(error);
  if (error.keyword === 'required') {
    const where = readablePath(error.instancePath, (error.params as { missingProperty: string }).missingProperty);
    return { field: where, message: `${where}: missing, but required` };
  }
  const where = readablePath(error.instancePath);
  const saying = SAYINGS[error.keyword]?.(error) ?? `${String(error.message)}, but is ${shown(error.data)}`;
  return {
    field: where,
    message: `${where === '' ? 'the document' : where}: ${saying}`,
    value: typeof error.data === 'string' ? error.data : shown(error.data),
  };
}

/**
 * Turns what ajv found (with `allErrors` and `verbose`) into sentences for people.
 *
 * @param errors - ajv's list, in its order
 * @param code - the code that every problem carries
 * @returns one refusal per problem, each with its path; an unknown key comes with the nearest allowed one
 */
export function schemaProblems(errors: readonly ErrorObject[], code: ErrorCode): readonly Refusal[] {
  // what is wrong with a name comes as an error of its own
  const told = errors.filter(({ keyword }) => keyword !== 'propertyNames');
  return told.map((error) => ({ code, ...problemOf(error) }));
}
