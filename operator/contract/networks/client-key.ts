import { shortenedName } from '../shortened-name';
import { MAX_NAME_LENGTH } from '../vocabulary';

/**
 * Makes the key under which the record knows what a client of the gRPC API was given.
 *
 * @param of - namespace and name of the request
 * @returns `grpc/<namespace>/<name>`, or its beginning and a hash where it is longer than keys are
 */
export function clientKey({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return shortenedName(`grpc/${namespace}/${name}`, { most: MAX_NAME_LENGTH, separator: '/' });
}
