/**
 * Writes the time of a condition.
 *
 * @param ms - milliseconds since 1970
 * @returns RFC 3339 in whole seconds, as the API server stores it
 */
export function conditionTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
