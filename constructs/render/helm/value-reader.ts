import type { LateBoundValues } from '../late-bound/late-bound';
import type { HelmSource } from './source';

/** JSON as it stands in values.yaml. */
export type Json = null | string | number | boolean | readonly Json[] | { readonly [key: string]: Json };

/** Reads the values of a chart for props: real ones of a release, or late-bound ones for templates. */
export interface ValueReader {
  /** Reads a text. */
  text(path: string): string;
  /** Reads a number. */
  number(path: string): number;
  /** Reads yes or no. */
  boolean(path: string): boolean;
  /** Reads a list of texts. */
  items(path: string): readonly string[];
  /** Reads a map of texts. */
  entries(path: string): Readonly<Record<string, string>>;
  /** Reads a list of objects that have the text field `carrier`. */
  objects<V extends object>(path: string, carrier: keyof V): readonly V[];
  /** Reads an object; `carrier` makes one of its type with a text in it. */
  object<V extends object>(path: string, carrier: (text: string) => V): V;
}

/**
 * Names a value in a template, inside of loops as well.
 *
 * @param path - below `.Values`
 * @returns the expression
 */
export function valueAt(path: string): string {
  return `$.Values.${path}`;
}

/**
 * Declares values of templates as they are asked for, each once.
 *
 * @param late - where they are declared
 * @param sources - what stands for a value that templates put together or leave out, by its path
 * @returns a reader that hands out placeholders
 */
export function lateReader(
  late: LateBoundValues<HelmSource>,
  sources: Readonly<Record<string, HelmSource>> = {},
): ValueReader {
  const known = new Map<string, unknown>();
  const once = <T>(path: string, declare: () => T): T => {
    if (!known.has(path)) known.set(path, declare());
    return known.get(path) as T;
  };
  const source = (path: string): HelmSource => sources[path] ?? { expression: valueAt(path) };
  const list = (path: string): HelmSource => ({
    expression: '$item',
    each: { variable: '$item', over: valueAt(path) },
  });
  return {
    text: (path) => once(path, () => late.text(path, source(path))),
    number: (path) => once(path, () => late.number(path, source(path))),
    boolean: (path) => once(path, () => late.boolean(path, source(path))),
    items: (path) => once(path, () => late.items(path, sources[path] ?? list(path))),
    entries: (path) => once(path, () => late.entries(path, source(path))),
    objects: <V extends object>(path: string, carrier: keyof V) =>
      once(path, () => late.objects<V>(path, carrier, list(path))),
    object: (path, carrier) => once(path, () => late.object(path, carrier, source(path))),
  };
}
