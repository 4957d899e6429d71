/** A map as JSON has it. */
export type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a map.
 *
 * @param value - anything
 * @returns the map, or an empty one
 */
export function mapOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/**
 * Reads a list of maps.
 *
 * @param value - anything
 * @returns its entries, or an empty list
 */
export function mapsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(mapOf) : [];
}

/**
 * Reads a list of texts.
 *
 * @param value - anything
 * @returns its texts, or an empty list
 */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
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
