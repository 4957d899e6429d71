import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { IpamError } from '../../errors/ipam-error';
import type { ClaimStore } from '../../ports/claim-store';
import type { SecretHasher } from '../../ports/secret-hasher';

/** Length of the key in bytes: that of a SHA-256 digest, RFC 2104 section 3. */
const KEY_BYTES = 32;

/** Names the key in every hash, so that a later key can stand beside it. */
const KEY_ID = 'k1';

// longer than any secret may be (64 characters), so it is the hash of none
const FINGERPRINT_LABEL = 'fingerprint of the key under which ipam.vitistack.io stores the secrets of addresses';

/**
 * Most secrets whose hashes are remembered, in this closure and nowhere else: nearly every Service shows the default secret,
 * and a hash costs 10 µs. Few, so that no secret stays in memory long after its last use.
 */
const MAX_RECENT = 8;

/** How {@link openHashKeyFile} treats a missing file. */
export interface HashKeyOptions {
  /** Make a new key where there is none: only while nobody holds an address. */
  readonly mayCreate: boolean;
}

const RESTORE = 'restore Secret "ipam-keys" (the key file) from the backup that belongs to this store';

function unusable(path: string, fault: string, cause?: unknown): IpamError {
  return new IpamError('store/keys', `the hash key file "${path}" ${fault}; ${RESTORE}`, { cause });
}

// Undefined: no file.
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw unusable(path, `cannot be read (${code ?? 'unknown reason'})`, error);
  }
}

function parseKey(path: string, text: string): KeyObject {
  const bytes = Buffer.from(text.trim(), 'base64');
  // base64 decoding skips what it does not know, so compare with the text
  const strict = bytes.toString('base64') === text.trim();
  if (bytes.length !== KEY_BYTES || !strict) throw unusable(path, `does not hold ${KEY_BYTES} bytes in base64`);
  return createSecretKey(bytes);
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
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

function createKey(path: string): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeSynced(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
    publish(draft, path);
    syncFolder(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `the hash key file "${path}" cannot be created (${code ?? 'unknown reason'}); check its folder and the permissions there`;
    throw new IpamError('store/keys', message, { cause: error });
  } finally {
    rmSync(draft, { force: true });
  }
}

function hasherOf(key: KeyObject): SecretHasher {
  const digest = (text: string): string => `${KEY_ID}:${createHmac('sha256', key).update(text, 'utf8').digest('hex')}`;
  const recent = new Map<string, string>();
  const hash = (text: string): string => {
    const known = recent.get(text);
    if (known !== undefined) return known;
    const made = digest(text);
    const [oldest] = recent.size < MAX_RECENT ? [] : recent.keys();
    if (oldest !== undefined) recent.delete(oldest);
    recent.set(text, made);
    return made;
  };
  return Object.freeze({ hash, fingerprint: digest(FINGERPRINT_LABEL) });
}

/**
 * Reads the key under which secrets are hashed (HMAC-SHA-256), or makes one. The file holds 32 random bytes in base64 and
 * appears in one piece, readable by its owner alone.
 *
 * @param path - where the key is or shall be; the folder must exist
 * @param options - `mayCreate`: whether a missing key may be made
 * @returns the hasher; it does not give the key away
 * @throws {@link IpamError} `store/keys` when the key is missing, unreadable or no key; the message names the file, never its content
 */
export function openHashKeyFile(path: string, options: HashKeyOptions): SecretHasher {
  let text = readText(path);
  if (text === undefined && options.mayCreate) {
    createKey(path);
    text = readText(path);
  }
  if (text === undefined) {
    throw unusable(path, 'is missing, but the store holds addresses whose secrets were hashed with it');
  }
  return hasherOf(parseKey(path, text));
}

/** What {@link requireSameKey} opens. */
export interface StoreKey {
  /** File of the key. */
  readonly path: string;
  /**
   * File of the store, and what else to remove in order to begin anew.
   *
   * @default - a store that forgets everything at the end of the process, so that a new one beside an old key is no loss
   */
  readonly durable?: { readonly store: string; readonly others: readonly string[] };
}

/** Stands in the store until the key is made; it is the fingerprint of none. */
const NOT_MADE_YET = 'not made yet';

/**
 * Opens the key that belongs to a store and refuses any other: with a wrong key no stored secret would match, so no owner
 * could ever prove itself again. A key is made only while nobody holds an address.
 *
 * @param store - the open store
 * @param key - file of the key, and of the store where it has one
 * @returns the hasher of the key that all stored hashes were made with
 * @throws {@link IpamError} `store/keys` when the key is missing or another one, `store/lost` when a key of an earlier start
 *   stands beside a store that never had one: every address that was held would be given again. The operator must not start
 */
export async function requireSameKey(store: ClaimStore, key: StoreKey): Promise<SecretHasher> {
  // the number of held addresses does not depend on the time
  const mayCreate = (await store.tally(0)).every(({ held }) => held === 0);
  if (mayCreate && (await store.keyFingerprint()) === '') {
    if (key.durable !== undefined && readText(key.path) !== undefined) throw lost(key.path, key.durable);
    // Before the key: a start that dies in between leaves no key beside a store that looks as if it were new.
    await store.keyFingerprint(NOT_MADE_YET);
  }
  const hasher = openHashKeyFile(key.path, { mayCreate });
  if ((await store.keyFingerprint(hasher.fingerprint)) === hasher.fingerprint) return hasher;
  throw new IpamError(
    'store/keys',
    `the hash key is not the one that the secrets in the store were hashed with; ${RESTORE}`,
  );
}

function lost(path: string, { store, others }: NonNullable<StoreKey['durable']>): IpamError {
  const files = [path, ...others].map((file) => `"${file}"`).join(' and ');
  return new IpamError(
    'store/lost',
    `the store "${store}" is new, but the hash key file "${path}" was made for a store with claims; restore the store from its backup, or remove ${files} to begin anew with every address free`,
  );
}
