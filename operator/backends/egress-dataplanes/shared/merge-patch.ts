import { isDeepStrictEqual } from 'node:util';
import { isMap, type JsonMap } from '../../../contract/loose-json';

/**
 * Finds the smallest JSON merge patch (RFC 7386) between two versions of an object.
 *
 * @param before - as it is stored
 * @param after - as it is to be; lists are compared as a whole
 * @returns what differs, fields that are gone as null; undefined where nothing does
 */
export function mergePatch(before: JsonMap, after: JsonMap): JsonMap | undefined {
  const changes = [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    const [old, now] = [before[key], after[key]];
    if (isDeepStrictEqual(old, now)) return [];
    const change = isMap(old) && isMap(now) ? mergePatch(old, now) : (now ?? null);
    return [[key, change] as const];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}
