import { createHmac } from 'node:crypto';
import type { SecretHasher } from '../../../ports/secret-hasher';

/** Most secrets that are remembered beyond those in rows: many times more than are under way at once. */
const MAX_REMEMBERED = 4_096;

/** Hashes secrets for the ledger, and gives back what it hashed a moment ago, since version 2 wants the secret itself. */
export interface RememberingHasher extends SecretHasher {
  /** The secret behind a hash; undefined when it was not hashed lately. */
  secretOf(hash: string): string | undefined;
}

/**
 * Makes a hasher whose hashes are the same in every process of a cluster. They need no key: the rows hold the secrets
 * themselves, so a reader of a hash there can read more.
 *
 * @param clusterUid - identity of the cluster
 * @returns hashes, and what they were made of
 */
export function rememberingHasher(clusterUid: string): RememberingHasher {
  const digest = (text: string): string => `r1:${createHmac('sha256', clusterUid).update(text, 'utf8').digest('hex')}`;
  const hashes = new Map<string, string>();
  const secrets = new Map<string, string>();
  const hash = (secret: string): string => {
    const known = hashes.get(secret);
    if (known !== undefined) {
      // the newest use goes last, so that the oldest is dropped
      hashes.delete(secret);
      hashes.set(secret, known);
      return known;
    }
    const made = digest(secret);
    hashes.set(secret, made);
    secrets.set(made, secret);
    for (const [oldest, gone] of hashes) {
      if (hashes.size <= MAX_REMEMBERED) break;
      hashes.delete(oldest);
      secrets.delete(gone);
    }
    return made;
  };
  return { hash, fingerprint: digest('fingerprint'), secretOf: (found) => secrets.get(found) };
}
