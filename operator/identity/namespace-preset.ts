import { DEFAULT_SECRET, KUBE_SYSTEM, type NamespacePreset } from '../contract/group';
import type { Cluster } from '../ports/cluster';

/** Data keys of the Secret with the identity: the identity, the UID of `kube-system` where it was made, the preset of that time. */
export const IDENTITY_KEYS = { id: 'id', origin: 'kube-system', preset: 'namespaces' } as const;

/** A preset that is found out. */
type BegunPreset = Exclude<NamespacePreset, 'as-begun'>;

/** Parts by which the Secret is found or made. */
export interface IdentitySecretParts {
  readonly cluster: Pick<Cluster, 'ensureSecret' | 'secret'>;
  /** UID of `kube-system` now. */
  readonly uid: string;
  readonly secret: { readonly namespace: string; readonly name: string };
}

/**
 * Finds or makes the Secret that tells how an installation began. Made here, it says `minimal`, unless the cluster has the default
 * secret already, which the original operator makes too; one that an older version made says nothing.
 *
 * @param parts - cluster, UID and name of the Secret
 * @returns its data
 * @throws {@link IpamError} `cluster/unavailable`
 */
export async function identitySecret({
  cluster,
  uid,
  secret: { namespace, name },
}: IdentitySecretParts): Promise<Readonly<Record<string, string>>> {
  const isTakenOver = (await cluster.secret(namespace, DEFAULT_SECRET)) !== undefined;
  const preset: BegunPreset = isTakenOver ? 'original' : 'minimal';
  const { id, origin, preset: begun } = IDENTITY_KEYS;
  const { data } = await cluster.ensureSecret(namespace, name, { [id]: uid, [origin]: uid, [begun]: preset });
  return data;
}

/**
 * Reads the UID by which the API server tells clusters apart.
 *
 * @param cluster - any
 * @returns UID of its `kube-system`; empty where it has none
 * @throws {@link IpamError} `cluster/unavailable`
 */
export async function uidOf(cluster: Pick<Cluster, 'namespace'>): Promise<string> {
  return (await cluster.namespace(KUBE_SYSTEM))?.uid ?? '';
}

/**
 * Finds out with which namespaces left out an installation began: those stay left out until its administrator says otherwise, so
 * that no upgrade and no take-over reaches Services that were left alone before.
 *
 * @param parts - cluster and name of the Secret
 * @returns `original` where the Secret is older than this choice, or the original was there before
 * @throws {@link IpamError} `cluster/unavailable`
 */
export async function begunPreset({
  cluster,
  secret,
}: Omit<IdentitySecretParts, 'uid'> & { readonly cluster: Pick<Cluster, 'namespace'> }): Promise<BegunPreset> {
  const uid = await uidOf(cluster);
  const data = await identitySecret({ cluster, uid, secret });
  return data[IDENTITY_KEYS.preset] === 'minimal' ? 'minimal' : 'original';
}
