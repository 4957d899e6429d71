import type { Cluster } from '../../ports/cluster';
import type { KeyPlace } from '../../ports/key-place';

/** Data key of the Secret; its value is what the key file holds. */
const DATA_KEY = 'key';

/**
 * The place of the hash key in a Secret of the operator's namespace; made immutable, and only by the first of several
 * processes. Open it with `requireSameKey` of `backends/system/hash-key`.
 *
 * @param cluster - where the Secret lives
 * @param secret - its namespace and name
 * @returns the place
 */
export function hashKeySecret(
  cluster: Cluster,
  secret: { readonly namespace: string; readonly name: string },
): KeyPlace {
  const { namespace, name } = secret;
  return {
    name: `Secret "${name}" of namespace "${namespace}"`,
    read: async () => {
      const stored = await cluster.secret(namespace, name);
      // A Secret without the key is a damaged one, not a missing one: a new key must not be made in its place.
      return stored === undefined ? undefined : (stored.data[DATA_KEY] ?? '');
    },
    create: async (text) => {
      await cluster.ensureSecret(namespace, name, { [DATA_KEY]: text });
    },
  };
}
