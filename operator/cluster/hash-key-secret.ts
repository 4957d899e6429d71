import type { Cluster } from '../ports/cluster';
import type { KeyPlace } from '../ports/key-place';

/**
 * The place of the key in a Secret of the operator's namespace; open it with `requireSameKey` of `backends/system/hash-key`.
 *
 * @param cluster - where the Secret lives
 * @param secret - its namespace and name
 * @returns the place
 */
export declare function hashKeySecret(
  cluster: Cluster,
  secret: { readonly namespace: string; readonly name: string },
): KeyPlace;
