import { createHash } from 'node:crypto';

import { MAX_NAME_LENGTH } from '../vocabulary';

const HASH_DIGITS = 32;

/**
 * Makes the key under which the record knows what a client of the gRPC API was given.
 *
 * @param of - namespace and name of the request
 * @returns `grpc/<namespace>/<name>`, or its beginning and a hash where it is longer than keys are
 */
export function clientKey({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  const full = `grpc/${namespace}/${name}`;
  if (full.length <= MAX_NAME_LENGTH) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, HASH_DIGITS);
  return `${full.slice(0, MAX_NAME_LENGTH - HASH_DIGITS - 1)}/${hash}`;
}
