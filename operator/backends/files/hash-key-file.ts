import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { IpamError } from '../../errors/ipam-error';
import type { KeyPlace } from '../../ports/key-place';
import { syncFolder } from '../../runtime/sync-folder';

function nameOf(path: string): string {
  return `hash key file "${path}"`;
}

// Undefined: no file.
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const message = `the ${nameOf(path)} cannot be read (${code ?? 'unknown reason'}); check the file and its permissions`;
    throw new IpamError('store/keys', message, { cause: error });
  }
}

function writeSynced(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

// Never replaces a key that another process made meanwhile.
function publish(from: string, path: string): void {
  try {
    linkSync(from, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'EPERM' && code !== 'ENOTSUP') throw error;
    renameSync(from, path); // a volume without hard links
  }
}

function createFile(path: string, text: string): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeSynced(draft, text);
    publish(draft, path);
    syncFolder(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `the ${nameOf(path)} cannot be created (${code ?? 'unknown reason'}); check its folder and the permissions there`;
    throw new IpamError('store/keys', message, { cause: error });
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * The place of the hash key in a file, which appears in one piece and is readable by its owner alone. Open it with
 * `requireSameKey` of `backends/system/hash-key`.
 *
 * @param path - where the key is or shall be; the folder must exist
 * @returns the place
 */
export function hashKeyFile(path: string): KeyPlace {
  return {
    name: nameOf(path),
    // eslint-disable-next-line @typescript-eslint/require-await -- what is thrown must come as a rejection
    read: async () => readText(path),
    // eslint-disable-next-line @typescript-eslint/require-await -- what is thrown must come as a rejection
    create: async (text) => {
      createFile(path, text);
    },
  };
}
