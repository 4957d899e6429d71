import type { ClaimAnswer } from '../contract/ipam-api/v3/answers';

/**
 * Names a Service for people.
 *
 * @param service - whose claim it is
 * @returns `namespace/name`; UIDs stand in for names that nobody told
 */
export function serviceText({ clusterUid, namespace, namespaceUid, serviceName }: ClaimAnswer['service']): string {
  if (clusterUid === '' && namespaceUid === '') return `standing claim ${serviceName}`;
  return `${namespace === '' ? namespaceUid : namespace}/${serviceName === '' ? '(unnamed)' : serviceName}`;
}
