/** A JSON object whose members are not checked yet. */
export type JsonMap = Readonly<Record<string, unknown>>;

/**
 * Reads JSON where another part reports what is none.
 *
 * @param text - any text
 * @returns the value; undefined where the text is not JSON
 */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Tells a JSON object from every other value.
 *
 * @param value - anything that JSON can hold
 * @returns true for an object that is neither null nor a list
 */
export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a text where another part reports what is no text.
 *
 * @param value - anything that JSON can hold
 * @returns the text, empty for anything else
 */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Reads a JSON object where another part reports what is none.
 *
 * @param value - anything that JSON can hold
 * @returns the object, empty for anything else
 */
export function mapOf(value: unknown): JsonMap {
  return isMap(value) ? value : {};
}

/**
 * Reads the metadata of an object of the API server.
 *
 * @param object - of any kind; undefined where there is none
 * @returns its `metadata`, empty when it has none
 */
export function metadataOf(object: JsonMap | undefined): JsonMap {
  return mapOf(object?.['metadata']);
}

/**
 * Reads a list where another part reports what is no list.
 *
 * @param value - anything that JSON can hold
 * @returns the list, empty for anything else
 */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
