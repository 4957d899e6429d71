import { readFileSync, renameSync, writeFileSync } from 'node:fs';

import { IpamError } from '../../errors/ipam-error';

/**
 * Reads what a standalone operator keeps of its imagined cluster.
 *
 * @param path - JSON file, written by {@link writeStandaloneFile}
 * @returns its content, undefined when there is no such file
 * @throws {@link IpamError} `settings/invalid` when the file cannot be read; a damaged identity would lose every owner
 */
export function readStandaloneFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new IpamError(
      'settings/invalid',
      `the file "${path}" holds the identity of the standalone cluster and cannot be read; restore it, or remove it together with the store`,
      { cause },
    );
  }
}

/**
 * Writes the file as a whole or not at all; only its owner may read it, since it holds the default secret.
 *
 * @param path - JSON file
 * @param content - anything that JSON can hold
 */
export function writeStandaloneFile(path: string, content: unknown): void {
  const next = `${path}.next`;
  writeFileSync(next, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(next, path);
}
