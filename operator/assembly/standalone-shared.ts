import { createHmac, randomBytes } from 'node:crypto';

import type { Family } from '../addressing/address';
import { hashKeyFile } from '../backends/files/hash-key-file';
import { MemoryCluster } from '../backends/memory/memory-cluster';
import { IpamError } from '../errors/ipam-error';
import type { ClaimCounts } from '../ports/claim-counts';

const SEED_BYTES = 32;
const SEED = /^[A-Za-z0-9+/]{43}=\n?$/u;

/**
 * Names the file from which several processes on one database make the same simulated cluster.
 *
 * @param keyFile - file of the hash key, which all of them have
 * @returns its path
 */
export function seedFile(keyFile: string): string {
  return `${keyFile}.standalone`;
}

/**
 * Opens the simulated cluster of processes that share a PostgreSQL store: UIDs and new Secrets are made of a seed beside the hash
 * key, so that each process makes the same ones without asking the others.
 *
 * @param keyFile - file of the hash key
 * @param claims - the open store: with claims in it, no new seed is made
 * @param families - address families of its Services, the primary one first
 * @returns the cluster, without Services
 * @throws {@link IpamError} `settings/invalid` when the seed is damaged, or missing while addresses are held; `store/keys` when its
 *   file cannot be read or made
 */
export async function openSharedCluster(
  keyFile: string,
  claims: Pick<ClaimCounts, 'tally'>,
  families: readonly Family[],
): Promise<MemoryCluster> {
  const path = seedFile(keyFile);
  const place = hashKeyFile(path);
  let text = await place.read();
  if (text === undefined) {
    const isHeld = (await claims.tally()).some(({ held }) => held > 0);
    // of two that make one at the same time, both get that of the first
    if (!isHeld) await place.create(`${randomBytes(SEED_BYTES).toString('base64')}\n`);
    text = await place.read();
  }
  if (text === undefined || !SEED.test(text)) throw unusable(path, text === undefined ? 'missing' : 'damaged');
  const seed = Buffer.from(text, 'base64');
  const derive = (what: string): string => createHmac('sha256', seed).update(what).digest('hex');
  return new MemoryCluster({ families, derive });
}

function unusable(path: string, fault: string): IpamError {
  return new IpamError(
    'settings/invalid',
    `the file "${path}" is ${fault}, but the PostgreSQL store can hold addresses of owners that only it knows; restore it from the backup of the hash key, or copy it from another process on this database`,
  );
}
