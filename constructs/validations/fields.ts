import { listOf, mapOf, type JsonMap } from '../../operator/contract/loose-json';

/** A map as JSON has it. */
export type Json = JsonMap;

/**
 * Reads a list of maps.
 *
 * @param value - anything
 * @returns its entries, or an empty list
 */
export function mapsOf(value: unknown): readonly Json[] {
  return listOf(value).map(mapOf);
}

/**
 * Reads a list of texts.
 *
 * @param value - anything
 * @returns its texts, or an empty list
 */
export function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((entry) => typeof entry === 'string');
}

/**
 * Writes a place with its value.
 *
 * @param path - of the field
 * @param value - what stands there
 * @returns for example `spec.hostNetwork: true`
 */
export function at(path: string, value: unknown): string {
  return `${path}: ${value === undefined ? 'absent' : JSON.stringify(value)}`;
}
