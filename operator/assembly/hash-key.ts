import { requireSameKey } from '../backends/system/hash-key';
import { IpamError } from '../errors/ipam-error';
import type { KeyPlace } from '../ports/key-place';
import type { SecretHasher } from '../ports/secret-hasher';
import type { Settings } from '../settings/options';
import type { OpenedClaims } from './claims';

/** Settings of the store that the key belongs to. */
export type KeySettings = Pick<Settings, 'store' | 'sqliteFile' | 'recoverableSecrets'>;

/** Place of the key, and the files that were made with it. */
export interface HashKeyFiles {
  readonly place: KeyPlace;
  /** Files that belong to the store and the key, beside them. */
  readonly others: readonly string[];
}

/** No hasher: secrets go to the other operator as they are, so nothing is hashed here, and there is no key either. */
const NO_KEY: SecretHasher = {
  hash: () => {
    throw new IpamError('internal', 'secrets are hashed by the operator that keeps the record');
  },
  fingerprint: '',
};

/**
 * Opens the key of the claims. One is made for an empty store only: beside existing claims a new key would lock every owner out.
 *
 * @param settings - store, and whether secrets stay recoverable
 * @param claims - as they were opened
 * @param files - place of the key
 * @returns the hasher of the claims' secrets
 * @throws IpamError `store/keys`, `store/lost`
 */
export async function openHasher(
  settings: KeySettings,
  claims: OpenedClaims,
  { place, others }: HashKeyFiles,
): Promise<SecretHasher> {
  if (claims.kind === 'remote') return NO_KEY;
  if (claims.hasher !== undefined) return claims.hasher;
  const { store, sqliteFile, recoverableSecrets: recoverable } = settings;
  if (store === 'memory') return requireSameKey(claims.store, place);
  const name = store === 'postgres' ? 'postgres' : sqliteFile;
  return requireSameKey(claims.store, place, { store: name, others, recoverable });
}
