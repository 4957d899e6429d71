/**
 * Compares texts by code units, the same on every machine.
 *
 * @param a - one text
 * @param b - another text
 * @returns negative, 0 or positive
 */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Orders objects: the older one first, then by name.
 *
 * @param a - one object; without a time it is the newest
 * @param b - another object
 * @returns negative where the first one comes before
 */
export function compareAge(
  a: { readonly createdAt?: string | undefined; readonly name: string },
  b: { readonly createdAt?: string | undefined; readonly name: string },
): number {
  return compareText(a.createdAt ?? '9', b.createdAt ?? '9') || compareText(a.name, b.name);
}
