import { PrefixSet, PrefixSetBuilder } from '../../../addressing/prefix-set';
import { parseExclusion } from '../../../contract/group-space';
import type { LabelSelector } from '../../../contract/label-selector';
import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { quoteValue } from '../../../contract/quote';

/** Which Services a pool serves, in the fields of an IPGroup. */
interface PoolScope {
  readonly priority?: number;
  readonly namespaces?: LabelSelector;
  readonly services?: LabelSelector;
  readonly explicitOnly?: boolean;
  readonly draining?: boolean;
}

/** A pool of another load balancer, in the terms of an IPGroup. */
export interface ForeignPool {
  /** How messages name it, for example `IPAddressPool metallb-system/first`. */
  readonly source: string;
  /** Name of its IPGroup. */
  readonly name: string;
  /** Everything that it has. */
  readonly space: PrefixSet;
  /** Addresses of it that are never given out. */
  readonly excluded: PrefixSet;
  /** Which Services it serves, and when. */
  readonly serves: PoolScope;
  /** Sentences on what has no counterpart in an IPGroup. */
  readonly notes: readonly string[];
  /** True: its addresses are those of a zone, so that no IPGroup may have them. */
  readonly isOfZone?: boolean;
}

/** Finds the pools of one load balancer among objects of all kinds, in the order in which space of two of them goes to the first. */
export type PoolReader = (objects: readonly JsonMap[]) => readonly ForeignPool[];

/** Priority of a group that comes before those that serve everything. */
export const FIRST_CHOICE = 1;

/**
 * Finds the objects of a kind, in any of its versions.
 *
 * @param objects - of all kinds
 * @param group - API group; empty for the core
 * @param kinds - one or several
 * @returns the objects in their order
 */
export function objectsOf(objects: readonly JsonMap[], group: string, ...kinds: readonly string[]): readonly JsonMap[] {
  const prefix = group === '' ? '' : `${group}/`;
  return objects.filter(({ apiVersion, kind }) => {
    const version = textOf(apiVersion);
    return kinds.includes(textOf(kind)) && version.startsWith(prefix) && !version.slice(prefix.length).includes('/');
  });
}

/**
 * Names an object in messages.
 *
 * @param object - with its kind
 * @returns kind, namespace and name
 */
export function sourceOf(object: JsonMap): string {
  const { namespace, name } = metadataOf(object);
  const path = [textOf(namespace), textOf(name)].filter((each) => each !== '').join('/');
  return `${textOf(object['kind'])} ${quoteValue(path).slice(1, -1)}`;
}

/** Space that was read from texts. */
export interface ReadSpace {
  readonly space: PrefixSet;
  /** Sentences on texts that cannot be read. */
  readonly notes: readonly string[];
}

/**
 * Reads addresses, ranges and prefixes as load balancers write them.
 *
 * @param texts - one block each
 * @returns what they cover, and what is left out
 */
export function readSpace(texts: readonly string[]): ReadSpace {
  const builder = new PrefixSetBuilder();
  const notes: string[] = [];
  for (const text of texts) {
    const parsed = parseExclusion(text.trim());
    if (parsed.ok) builder.add(parsed.value);
    else notes.push(`${parsed.refusal.message}; it is left out`);
  }
  return { space: builder.build(), notes };
}

/** A pool without space of its own choosing, for readers to build on. */
export const NO_SPACE = { space: PrefixSet.EMPTY, excluded: PrefixSet.EMPTY } as const;
