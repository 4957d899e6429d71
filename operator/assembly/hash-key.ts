import { requireSameKey } from '../backends/system/hash-key';
import { IpamError } from '../errors/ipam-error';
import type { KeyPlace } from '../ports/key-place';
import type { SecretHasher } from '../ports/secret-hasher';
import type { OpenedClaims } from './claims';

/** The key under which secrets are hashed. */
export interface HashKey {
  readonly place: KeyPlace;
  /** Files that belong to the store and the key, beside them. */
  readonly others: readonly string[];
  /** True: secrets are kept encrypted beside their hashes. */
  readonly recoverable: boolean;
}

/** No hasher, and no key either: no secret is kept here. They go to the other operator as they are, or nothing asks for one. */
const NO_KEY: SecretHasher = {
  hash: () => {
    throw new IpamError('internal', 'secrets are hashed where a record of zones is kept');
  },
  fingerprint: '',
};

/**
 * Opens the key of the claims. One is made for an empty store only: beside existing claims a new key would lock every owner out.
 *
 * @param claims - as they were opened
 * @param key - place of the key
 * @returns the hasher of the claims' secrets
 * @throws IpamError `store/keys`, `store/lost`
 */
export async function openHasher(claims: OpenedClaims, key: HashKey): Promise<SecretHasher> {
  if (claims.kind !== 'own') return NO_KEY;
  const { keys, durableName } = claims;
  if (keys.kind === 'given') return keys.hasher;
  const { place, others, recoverable } = key;
  return requireSameKey(
    keys.mark,
    place,
    durableName === undefined ? undefined : { store: durableName, others, recoverable },
  );
}
