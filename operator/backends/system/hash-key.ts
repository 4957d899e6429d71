import { randomBytes } from 'node:crypto';
import { IpamError } from '../../errors/ipam-error';
import type { ClaimCounts } from '../../ports/claim-counts';
import type { KeyMark } from '../../ports/key-mark';
import type { KeyPlace } from '../../ports/key-place';
import type { SecretHasher } from '../../ports/secret-hasher';
import { fingerprintsOf, KEY_BYTES, parseKeyRing, ringHasher } from './key-ring';

/** How {@link openHashKey} treats an empty place. */
export interface HashKeyOptions {
  /** Make a new key where there is none: only while no address has a holder. */
  readonly mayCreate: boolean;
  /**
   * Keep secrets encrypted beside their hashes.
   *
   * @default false
   */
  readonly recoverable?: boolean;
}

function restore({ name }: KeyPlace): string {
  return `restore the ${name} from the backup that belongs to this store`;
}

/**
 * Reads the keys under which secrets are hashed (HMAC-SHA-256), or makes one: 32 random bytes in base64. Of two processes that
 * make one at the same time, both get the key of the first.
 *
 * @param place - where the key is or shall be
 * @param options - whether a missing key may be made, and whether secrets are recoverable
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
  const ring = parseKeyRing(text);
  if (ring !== undefined) return ringHasher(ring, { recoverable: options.recoverable ?? false });
  const fault = `the ${place.name} holds no keys: a line for each is needed, with its id (k1, k2, …) and ${KEY_BYTES} bytes in base64`;
  throw new IpamError('store/keys', `${fault}; ${restore(place)}`);
}

/** A store with the mark of its keys. */
export type MarkedStore = KeyMark & Pick<ClaimCounts, 'tally'>;

/** A store that outlives the process, so that a new one beside an old key means that the old one was lost. */
export interface DurableStore {
  /** File of the store. */
  readonly store: string;
  /** Files to remove with the key in order to begin anew. */
  readonly others: readonly string[];
  /**
   * Keep secrets encrypted beside their hashes.
   *
   * @default false
   */
  readonly recoverable?: boolean;
}

/** Stands in the store until the key is made; it is the fingerprint of none. */
const NOT_MADE_YET = 'not made yet';

/**
 * Opens the key that belongs to a store and refuses any other: with a wrong key no stored secret would match, so no owner
 * could ever prove itself again. A key is made only while no address has a holder.
 *
 * @param store - the open store
 * @param place - where the key is or shall be
 * @param durable - absent for a store that forgets everything at the end of the process
 * @returns the hasher of the key that all stored hashes were made with
 * @throws {@link IpamError} `store/keys` when the key is missing or another one, `store/lost` when a key of an earlier start
 *   stands beside a store that never had one: every address that was held would be given again. The operator must not start
 */
export async function requireSameKey(
  store: MarkedStore,
  place: KeyPlace,
  durable?: DurableStore,
): Promise<SecretHasher> {
  // Before the store is looked at: a key that another process makes now comes after its mark in the store.
  const found = durable !== undefined && (await place.read()) !== undefined;
  const mayCreate = (await store.tally()).every(({ held }) => held === 0);
  if (mayCreate && (await store.keyFingerprint()) === '') {
    if (found) throw lost(place, durable);
    // Before the key: a start that dies in between leaves no key beside a store that looks as if it were new. Never over the
    // fingerprint of a process that was faster: once it has given an address, its fingerprint could not be put back.
    await store.replaceKeyFingerprint('', NOT_MADE_YET);
  }
  const hasher = await openHashKey(place, { mayCreate, recoverable: durable?.recoverable ?? false });
  const stored = await store.keyFingerprint(hasher.fingerprint);
  if (stored !== hasher.fingerprint) await acceptKeys(store, place, { stored, now: hasher.fingerprint });
  return hasher;
}

// Keys come and go: every one that is known must be what it was, and one that is gone must be needed no more.
async function acceptKeys(
  store: MarkedStore,
  place: KeyPlace,
  { stored, now }: { readonly stored: string; readonly now: string },
): Promise<void> {
  const [known, given] = [fingerprintsOf(stored), fingerprintsOf(now)];
  const isSame = [...known].every(([id, fingerprint]) => (given.get(id) ?? fingerprint) === fingerprint);
  const isRelated = [...known.keys()].some((id) => given.has(id));
  if (!isSame || !isRelated) {
    const fault = `the ${place.name} is not the one that the secrets in the store were hashed with`;
    throw new IpamError('store/keys', `${fault}; ${restore(place)}`);
  }
  const gone = [...known.keys()].filter((id) => !given.has(id));
  const needed = (await store.keyUse()).find(({ keyId, records }) => records > 0 && gone.includes(keyId));
  if (needed !== undefined) {
    const fault = `the ${place.name} has no key "${needed.keyId}" any more, but ${needed.records} addresses have secrets that were hashed with it`;
    throw new IpamError('store/keys', `${fault}; put the key back until their owners have shown their secrets again`);
  }
  if (await store.replaceKeyFingerprint(stored, now)) return;
  const message = `the keys of the store changed while the ${place.name} was compared with them; start again`;
  throw new IpamError('store/keys', message);
}

function lost({ name }: KeyPlace, { store, others }: DurableStore): IpamError {
  const things = [`the ${name}`, ...others.map((file) => `"${file}"`)].join(' and ');
  return new IpamError(
    'store/lost',
    `the store "${store}" is new, but the ${name} was made for a store with claims; restore the store from its backup; where the settings named another store before (store), name that one again, or move its claims with "ipam migrate-store"; or remove ${things} to begin anew with every address free`,
  );
}
