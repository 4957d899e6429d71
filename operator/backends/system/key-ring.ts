import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import type { SecretHasher } from '../../ports/secret-hasher';

/** Length of a key in bytes: that of a SHA-256 digest, RFC 2104 section 3. */
export const KEY_BYTES = 32;

const CIPHER = 'aes-256-gcm';
/** NIST SP 800-38D section 8.2.2: 96 random bits, safe for 2^32 secrets under one key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

// longer than any secret may be (64 characters), so it is the hash of none
const FINGERPRINT_LABEL = 'fingerprint of the key under which ipam.vitistack.io stores the secrets of addresses';
const SEAL_LABEL = 'key that seals the recoverable secrets of ipam.vitistack.io';

/**
 * Most secrets whose hashes are remembered, in this closure and nowhere else: nearly every Service shows the default secret,
 * and a hash costs 10 µs. Few, so that no secret stays in memory long after its last use.
 */
const MAX_RECENT = 8;

/** One key of a ring. */
export interface RingKey {
  /** `k1`, `k2` and so on; names the key in every hash. */
  readonly id: string;
  readonly bytes: Buffer;
  /** Verifies only: a key that other processes may not know yet. */
  readonly verifies: boolean;
}

function numberOf(id: string): number {
  return /^k[1-9][0-9]{0,5}$/.test(id) ? Number(id.slice(1)) : 0;
}

function parseLine(line: string): RingKey | undefined {
  const words = line.split(/\s+/);
  // the form of the first release: the key alone
  const [id = '', text = '', mark, ...more] = words.length === 1 ? ['k1', ...words] : words;
  const bytes = Buffer.from(text, 'base64');
  // base64 decoding skips what it does not know, so compare with the text
  const isKey = bytes.length === KEY_BYTES && bytes.toString('base64') === text;
  const isMarked = mark === 'verify';
  if (!isKey || numberOf(id) === 0 || more.length > 0 || (mark !== undefined && !isMarked)) return undefined;
  return { id, bytes, verifies: isMarked };
}

/**
 * Reads the keys of a key place: a line for each, `<id> <32 bytes in base64>`, with `verify` behind it where the key shall
 * not hash yet. A line without id is key `k1`.
 *
 * @param text - what the place holds
 * @returns the keys, the one that hashes first, then newest first; undefined when the text holds anything else
 */
export function parseKeyRing(text: string): readonly RingKey[] | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const keys = lines.map(parseLine).filter((key) => key !== undefined);
  const ids = new Set(keys.map(({ id }) => id));
  if (keys.length === 0 || keys.length < lines.length || ids.size < keys.length) return undefined;
  const sorted = keys.sort((a, b) => numberOf(b.id) - numberOf(a.id));
  const hashing = sorted.find(({ verifies }) => !verifies);
  return hashing === undefined ? undefined : [hashing, ...sorted.filter((key) => key !== hashing)];
}

interface Loaded {
  readonly id: string;
  readonly hashes: KeyObject;
  readonly seals: KeyObject;
}

function load({ id, bytes }: RingKey): Loaded {
  const seals = Buffer.from(hkdfSync('sha256', bytes, '', SEAL_LABEL, KEY_BYTES));
  return { id, hashes: createSecretKey(bytes), seals: createSecretKey(seals) };
}

function digest({ id, hashes }: Loaded, text: string): string {
  return `${id}:${createHmac('sha256', hashes).update(text, 'utf8').digest('hex')}`;
}

function seal({ id, seals }: Loaded, secret: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, seals, nonce);
  cipher.setAAD(Buffer.from(id, 'utf8'));
  const text = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${id}:${text.toString('base64')}`;
}

function unseal(keys: readonly Loaded[], sealed: string): string | undefined {
  const id = sealed.slice(0, sealed.indexOf(':'));
  const key = keys.find((each) => each.id === id);
  const bytes = Buffer.from(sealed.slice(id.length + 1), 'base64');
  if (key === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key.seals, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(id, 'utf8'));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    // the tag does not fit: the text was changed
    return undefined;
  }
}

/**
 * Makes the hasher of a ring: HMAC-SHA-256 under its first key, comparable under all of them.
 *
 * @param ring - from {@link parseKeyRing}
 * @param options - `recoverable`: also encrypt secrets (AES-256-GCM under a key derived from the first one)
 * @returns the hasher; it does not give the keys away
 */
export function ringHasher(ring: readonly RingKey[], options: { readonly recoverable: boolean }): SecretHasher {
  const keys = ring.map(load);
  const [first] = keys as [Loaded, ...Loaded[]];
  const recent = new Map<string, readonly string[]>();
  const hashes = (text: string): readonly string[] => {
    const known = recent.get(text);
    if (known !== undefined) return known;
    const made = keys.map((key) => digest(key, text));
    const [oldest] = recent.size < MAX_RECENT ? [] : recent.keys();
    if (oldest !== undefined) recent.delete(oldest);
    recent.set(text, made);
    return made;
  };
  const sealing = {
    seal: (secret: string): string => seal(first, secret),
    unseal: (sealed: string): string | undefined => unseal(keys, sealed),
  };
  return Object.freeze({
    hash: (text: string): string => hashes(text)[0] ?? digest(first, text),
    hashes,
    fingerprint: [...keys]
      .reverse()
      .map((key) => digest(key, FINGERPRINT_LABEL))
      .sort()
      .join(' '),
    ...(options.recoverable ? sealing : {}),
  });
}

/**
 * Takes a fingerprint of several keys apart.
 *
 * @param fingerprint - of a hasher, as stored
 * @returns the fingerprint of each key, by its id
 */
export function fingerprintsOf(fingerprint: string): ReadonlyMap<string, string> {
  const parts = fingerprint.split(' ').map((part) => [part.slice(0, part.indexOf(':')), part] as const);
  return new Map(parts.filter(([id]) => numberOf(id) > 0));
}
