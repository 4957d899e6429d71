import { valueAt, type Json, type ValueReader } from './value-reader';

/** A JSON Schema, as far as it is looked at here. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Props that hold while a condition does. */
interface ValueShape<P> {
  /** Template expression; the default shape has none. */
  readonly condition?: string;
  /** Conditions that other shapes have as well, which together cover each. */
  readonly families?: readonly string[];
  readonly props: P;
}

/** One value of a chart: what it says to people, what it may be, and which props it fills. */
export interface ChartValue<P> {
  /** Path below `.Values`, for example `image.tag`. */
  readonly path: string;
  readonly initial: Json;
  readonly schema: JsonSchema;
  /** One or more sentences for values.yaml. */
  readonly comment: string;
  /** The props for a real value, as a user of the constructs would write them. */
  readonly props: (value: Json, read: ValueReader) => P;
  /** The props in templates: first those of the default, then one more entry per other shape. */
  readonly shapes: (read: ValueReader) => readonly ValueShape<P>[];
}

/** Description of a value, whatever its type is. */
export interface ValueText<V extends Json> {
  readonly comment: string;
  readonly initial: V;
  /** @default - only the type of `initial` */
  readonly schema?: JsonSchema;
}

/** Reads a value for a prop; late-bound, where the reader is. */
type Read<V> = (read: ValueReader, path: string) => V;

/**
 * Reads a text.
 *
 * @param read - real or late-bound
 * @param path - below `.Values`
 * @returns what the reader has there
 */
export const TEXT: Read<string> = (read, path) => read.text(path);
/**
 * Reads a number.
 *
 * @param read - real or late-bound
 * @param path - below `.Values`
 * @returns what the reader has there
 */
export const NUMBER: Read<number> = (read, path) => read.number(path);
/**
 * Reads a list of texts.
 *
 * @param read - real or late-bound
 * @param path - below `.Values`
 * @returns what the reader has there
 */
export const ITEMS: Read<readonly string[]> = (read, path) => read.items(path);
/**
 * Reads a map of texts.
 *
 * @param read - real or late-bound
 * @param path - below `.Values`
 * @returns what the reader has there
 */
export const ENTRIES: Read<Readonly<Record<string, string>>> = (read, path) => read.entries(path);

const schemaOf = ({ initial, schema }: ValueText<Json>): JsonSchema => {
  if (Array.isArray(initial)) return { type: 'array', ...schema };
  return { type: typeof initial === 'number' ? 'integer' : typeof initial, ...schema };
};
const isEmpty = (value: Json): boolean =>
  value === '' || value === 0 || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/**
 * Calls for a value that the constructs only hand on; the default is that of the prop.
 *
 * @param path - below `.Values`
 * @param about - comment, default, schema
 * @param props - the props for a value, real or late-bound
 * @returns the value
 */
export function handedOn<P, V>(
  path: string,
  about: ValueText<Json> & { readonly read: Read<V> },
  props: (value: V) => P,
): ChartValue<P> {
  return {
    path,
    ...about,
    schema: schemaOf(about),
    props: (_value, read) => props(about.read(read, path)),
    shapes: (read) => [{ props: props(about.read(read, path)) }],
  };
}

/**
 * Calls for a value that leaves its prop out while it is empty, which is the default.
 *
 * @param path - below `.Values`
 * @param about - comment, the empty value, schema
 * @param props - the props for a value that is not empty, real or late-bound
 * @returns the value
 */
export function optional<P extends object, V>(
  path: string,
  about: ValueText<Json> & { readonly read: Read<V> },
  props: (value: V) => P,
): ChartValue<Partial<P>> {
  return {
    path,
    ...about,
    schema: schemaOf(about),
    props: (value, read) => (isEmpty(value) ? {} : props(about.read(read, path))),
    shapes: (read) => [{ props: {} }, { condition: valueAt(path), props: props(about.read(read, path)) }],
  };
}

/**
 * Calls for a value that decides the shape: one of a few words, or yes and no. The constructs see the real value, in one tree
 * for each.
 *
 * @param path - below `.Values`
 * @param about - comment, and what is allowed with the default first
 * @param props - the props for a value; parts of the shape that are values too come from the reader
 * @returns the value
 */
export function choice<P, V extends string | boolean>(
  path: string,
  about: { readonly comment: string; readonly allowed: readonly [V, V, ...V[]] },
  props: (value: V, read: ValueReader) => P,
): ChartValue<P> {
  const [initial, ...others] = about.allowed;
  const is = (value: V): string => {
    if (typeof value === 'string') return `eq ${valueAt(path)} ${JSON.stringify(value)}`;
    return value ? valueAt(path) : `not ${valueAt(path)}`;
  };
  return {
    path,
    initial,
    schema: typeof initial === 'string' ? { type: 'string', enum: [...about.allowed] } : { type: 'boolean' },
    comment: about.comment,
    props: (value, read) => props(value as V, read),
    shapes: (read) => [
      { props: props(initial, read) },
      ...others.map((value) => ({ condition: is(value), props: props(value, read) })),
    ],
  };
}

/**
 * Calls for a value that no prop of its own has: a part of a {@link choice}, or something that templates read by themselves.
 *
 * @param path - below `.Values`
 * @param about - comment, default, schema
 * @param props - the props for a real value
 * @returns the value
 */
export function part<P extends object>(
  path: string,
  about: ValueText<Json>,
  props: (value: Json) => Partial<P> = () => ({}),
): ChartValue<Partial<P>> {
  return {
    path,
    initial: about.initial,
    schema: schemaOf(about),
    comment: about.comment,
    props,
    shapes: () => [{ props: {} }],
  };
}
