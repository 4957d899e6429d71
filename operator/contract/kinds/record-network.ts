import { shortenedName } from '../shortened-name';
import { MAX_NETWORK_LENGTH } from './claim-name';

/**
 * Names the network on record of a NetworkInstance. A namespace has no dot, so two instances never share a name.
 *
 * @param of - namespace and name of the instance
 * @returns `<namespace>.<name>`, or its beginning and a hash where it is longer than names of networks are
 */
export function recordNetwork({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return shortenedName(`${namespace}.${name}`, { most: MAX_NETWORK_LENGTH });
}
