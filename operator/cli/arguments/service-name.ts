import { InvalidArgumentError } from 'commander';
import type { ClaimAnswer } from '../../contract/ipam-api/v3/answers';
import { accept, type Outcome } from '../../errors/outcome';
import type { ApiCaller } from '../calls/api-caller';
import { allPages } from './command-parts';

/** A Service as people name it. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Reads the name of a Service.
 *
 * @param text - as it was given
 * @returns its parts; undefined unless it is `namespace/name`
 */
export function readServiceName(text: string): ServiceName | undefined {
  // the name of a namespace has no dot, so 10.0.0.0/24 is none
  const [, namespace = '', name = ''] = /^([^/\s.:]{1,63})\/([^/\s]{1,253})$/u.exec(text) ?? [];
  return namespace === '' || name === '' ? undefined : { namespace, name };
}

/**
 * Reads the name of a Service for an option that takes nothing else.
 *
 * @param text - as it was given
 * @returns its parts
 * @throws InvalidArgumentError, which the parser turns into a message
 */
export function serviceNameArgument(text: string): ServiceName {
  const name = readServiceName(text);
  if (name === undefined) throw new InvalidArgumentError('Give namespace/name, for example shop/web.');
  return name;
}

/**
 * Finds what a Service has on record.
 *
 * @param api - the server
 * @param wanted - its name; a namespace may stand there by its UID, as listings show it where its name is not known
 * @param clusterUid - only in this cluster; undefined: in all of them
 * @returns its claims, in every state
 */
export async function claimsOf(
  api: ApiCaller,
  { namespace, name }: ServiceName,
  clusterUid: string | undefined,
): Promise<Outcome<readonly ClaimAnswer[]>> {
  const query = { serviceName: name, ...(clusterUid === undefined ? {} : { clusterUid }) };
  const found = await allPages((page) => api.call('listClaims', { query: { ...query, ...page } }));
  if (!found.ok) return found;
  const own = ({ service }: ClaimAnswer): boolean =>
    service.namespace === '' ? service.namespaceUid === namespace : service.namespace === namespace;
  return accept(found.value.filter(own));
}
