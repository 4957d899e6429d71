import { createHash } from 'node:crypto';

import { MAX_NETWORK_LENGTH } from './claim-name';

const HASH_DIGITS = 32;

/**
 * Names the network on record of a NetworkInstance. A namespace has no dot, so two instances never share a name.
 *
 * @param of - namespace and name of the instance
 * @returns `<namespace>.<name>`, or its beginning and a hash where it is longer than names of networks are
 */
export function recordNetwork({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  const full = `${namespace}.${name}`;
  if (full.length <= MAX_NETWORK_LENGTH) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, HASH_DIGITS);
  return `${full.slice(0, MAX_NETWORK_LENGTH - HASH_DIGITS - 1)}-${hash}`;
}
