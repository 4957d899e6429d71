/**
 * Reads the API group of a version.
 *
 * @param apiVersion - for example `apps/v1`
 * @returns the group; empty for that of the core, such as `v1`
 */
export const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
