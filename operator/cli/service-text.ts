import type { ClaimAnswer } from '../contract/ipam-api/v3/answers';

/**
 * Names a Service for people.
 *
 * @param service - whose claim it is
 * @returns `namespace/name`; UIDs stand in for names that nobody told
 */
export function serviceText({ namespace, namespaceUid, serviceName }: ClaimAnswer['service']): string {
  return `${namespace === '' ? namespaceUid : namespace}/${serviceName === '' ? '(unnamed)' : serviceName}`;
}
