/** API group and version of the settings of an OpenShift cluster. */
export const OPENSHIFT_CONFIG = 'config.openshift.io/v1';

/**
 * Reads the API group of a version.
 *
 * @param apiVersion - for example `apps/v1`
 * @returns the group; empty for that of the core, such as `v1`
 */
export const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
