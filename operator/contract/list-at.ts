/**
 * Finds the list of a key, which is made where there is none.
 *
 * @param lists - lists by key
 * @param key - any one
 * @returns the list, to add to: a list that is copied for each entry takes quadratic time
 */
export function listAt<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const made: V[] = [];
  lists.set(key, made);
  return made;
}
