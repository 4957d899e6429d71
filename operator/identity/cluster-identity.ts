import { IpamError } from '../errors/ipam-error';
import type { Logger } from '../ports/logger';
import { IDENTITY_KEYS, identitySecret, type IdentitySecretParts } from './namespace-preset';

const { id: IDENTITY, origin: ORIGIN } = IDENTITY_KEYS;

/** Parts by which an identity is found. */
export interface ClusterIdentityParts extends IdentitySecretParts {
  /** Setting `--cluster-id`; empty: none. */
  readonly forced: string;
  readonly logger: Logger;
}

/**
 * Finds the identity under which the record knows this cluster: the UID of `kube-system` at the first start, kept in a Secret
 * that goes with a backup. So a cluster that was restored or rebuilt, whose `kube-system` has another UID, has the addresses
 * of its Services again.
 *
 * @param parts - cluster, Secret, setting and logger
 * @returns what stands for the cluster in every claim
 * @throws {@link IpamError} `settings/invalid` when the Secret is damaged, `cluster/unavailable`
 * @remarks of two clusters restored from one backup that run beside each other, one needs a `--cluster-id` of its own: they
 *   would end each other's claims
 */
export async function clusterIdentity({ cluster, uid, secret, forced, logger }: ClusterIdentityParts): Promise<string> {
  if (forced !== '') return forced;
  const { namespace, name } = secret;
  const data = await identitySecret({ cluster, uid, secret });
  const identity = (data[IDENTITY] ?? '').trim();
  if (identity === '') {
    const message = `Secret "${name}" of namespace "${namespace}" has no "${IDENTITY}"; restore it from a backup, or delete it if the record knows nothing of this cluster`;
    throw new IpamError('settings/invalid', message);
  }
  if (data[ORIGIN] !== uid) logger.warn('cluster goes by the identity that was restored with it', { namespace, name });
  return identity;
}
