/** A JSON object whose members nobody has looked at yet. */
export type JsonMap = Readonly<Record<string, unknown>>;

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
 * Reads a list where another part reports what is no list.
 *
 * @param value - anything that JSON can hold
 * @returns the list, empty for anything else
 */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
