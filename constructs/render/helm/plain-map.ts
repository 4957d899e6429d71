import { isMap, type JsonMap } from '../../../operator/contract/loose-json';

/**
 * Tells JSON objects from whatever else stands in props and templates: nodes, late-bound values, constructs.
 *
 * @param value - anything
 * @returns true for an object that no class has made
 */
export function isPlainMap(value: unknown): value is JsonMap {
  return isMap(value) && Object.getPrototypeOf(value) === Object.prototype;
}
