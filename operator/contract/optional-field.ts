/**
 * Makes an object with a field that may be absent, since an absent field and one that is undefined differ.
 *
 * @param key - name of the field
 * @param value - its value, or undefined
 * @returns an object with the field, or an empty one
 */
export function optionalField<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, V>);
}
