import { readFileSync } from 'node:fs';

import { OPERATOR_NAMESPACE } from '../contract/group';

/** Where the kubelet mounts token, CA and namespace of the Pod's ServiceAccount. */
export const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Variables of a process, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds the namespace in which the operator runs.
 *
 * @param environment - variables of the process; `POD_NAMESPACE` counts first
 * @param folder - where the ServiceAccount is mounted; its file `namespace` counts second
 * @returns the namespace; `ipam-system` outside of a Pod
 */
export function operatorNamespace(environment: Environment, folder = SERVICE_ACCOUNT_FOLDER): string {
  const told = environment['POD_NAMESPACE']?.trim() ?? '';
  if (told !== '') return told;
  try {
    const mounted = readFileSync(`${folder}/namespace`, 'utf8').trim();
    if (mounted !== '') return mounted;
  } catch {
    // no Pod, or one without a token
  }
  return OPERATOR_NAMESPACE;
}
