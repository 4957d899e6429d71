import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { IpamError } from '../../errors/ipam-error';
import type { ClaimStore } from '../../ports/claim-store';
import type { KeyPlace } from '../../ports/key-place';
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

/** How {@link openHashKey} treats an empty place. */
export interface HashKeyOptions {
  /** Make a new key where there is none: only while nobody holds an address. */
  readonly mayCreate: boolean;
}

function restore({ name }: KeyPlace): string {
  return `restore the ${name} from the backup that belongs to this store`;
}

function parseKey(place: KeyPlace, text: string): KeyObject {
  const bytes = Buffer.from(text.trim(), 'base64');
  // base64 decoding skips what it does not know, so compare with the text
  const strict = bytes.toString('base64') === text.trim();
  if (bytes.length === KEY_BYTES && strict) return createSecretKey(bytes);
  const fault = `the ${place.name} does not hold ${KEY_BYTES} bytes in base64`;
  throw new IpamError('store/keys', `${fault}; ${restore(place)}`);
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
 * Reads the key under which secrets are hashed (HMAC-SHA-256), or makes one: 32 random bytes in base64. Of two processes that
 * make one at the same time, both get the key of the first.
 *
 * @param place - where the key is or shall be
 * @param options - `mayCreate`: whether a missing key may be made
 * @returns the hasher; it does not give the key away
 * @throws {@link IpamError} `store/keys` when the key is missing, unreadable or no key; the message names the place, never its content
 */
export async function openHashKey(place: KeyPlace, options: HashKeyOptions): Promise<SecretHasher> {
  let text = await place.read();
  if (text === undefined && options.mayCreate) {
    await place.create(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
    text = await place.read();
  }
  if (text === undefined) {
    const fault = `the ${place.name} is missing, but the store holds addresses whose secrets were hashed with it`;
    throw new IpamError('store/keys', `${fault}; ${restore(place)}`);
  }
  return hasherOf(parseKey(place, text));
}

/** A store that outlives the process, so that a new one beside an old key means that the old one was lost. */
export interface DurableStore {
  /** File of the store. */
  readonly store: string;
  /** Files to remove with the key in order to begin anew. */
  readonly others: readonly string[];
}

/** Stands in the store until the key is made; it is the fingerprint of none. */
const NOT_MADE_YET = 'not made yet';

/**
 * Opens the key that belongs to a store and refuses any other: with a wrong key no stored secret would match, so no owner
 * could ever prove itself again. A key is made only while nobody holds an address.
 *
 * @param store - the open store
 * @param place - where the key is or shall be
 * @param durable - absent for a store that forgets everything at the end of the process
 * @returns the hasher of the key that all stored hashes were made with
 * @throws {@link IpamError} `store/keys` when the key is missing or another one, `store/lost` when a key of an earlier start
 *   stands beside a store that never had one: every address that was held would be given again. The operator must not start
 */
export async function requireSameKey(
  store: ClaimStore,
  place: KeyPlace,
  durable?: DurableStore,
): Promise<SecretHasher> {
  // Before the store is looked at: a key that another process makes now comes after its mark in the store.
  const found = durable !== undefined && (await place.read()) !== undefined;
  // the number of held addresses does not depend on the time
  const mayCreate = (await store.tally(0)).every(({ held }) => held === 0);
  if (mayCreate && (await store.keyFingerprint()) === '') {
    if (found) throw lost(place, durable);
    // Before the key: a start that dies in between leaves no key beside a store that looks as if it were new. Never over the
    // fingerprint of a process that was faster: once it has given an address, nobody could put its fingerprint back.
    await store.replaceKeyFingerprint('', NOT_MADE_YET);
  }
  const hasher = await openHashKey(place, { mayCreate });
  if ((await store.keyFingerprint(hasher.fingerprint)) === hasher.fingerprint) return hasher;
  throw new IpamError(
    'store/keys',
    `the ${place.name} is not the one that the secrets in the store were hashed with; ${restore(place)}`,
  );
}

function lost({ name }: KeyPlace, { store, others }: DurableStore): IpamError {
  const things = [`the ${name}`, ...others.map((file) => `"${file}"`)].join(' and ');
  return new IpamError(
    'store/lost',
    `the store "${store}" is new, but the ${name} was made for a store with claims; restore the store from its backup, or remove ${things} to begin anew with every address free`,
  );
}
