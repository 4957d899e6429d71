import type { Address, Family } from '../addressing/address';
import type { Outcome } from '../errors/outcome';
import type { ClaimArchive } from './claim-archive';
import type { ServiceIdentity, NewHolder, SecretProof, AddressRecord, TakeRequest } from './claim-record';

// Whoever works with a store knows it with its record; the archive reads the record alone.
export type {
  ServiceIdentity,
  ClaimOptions,
  SharingTerms,
  HolderState,
  NewHolder,
  Holder,
  SecretProof,
  AddressRecord,
  TakeRequest,
} from './claim-record';

/** Result of {@link ClaimStore.take}. */
export interface Taken {
  readonly record: AddressRecord;
  /** False when a live holder with the same key existed already: then its record, unchanged. */
  readonly created: boolean;
}

/** Adds a holder to a held address, or replaces the one with `holderId`, which keeps its `id` and `sinceMs`. */
export interface BindRequest {
  readonly network: string;
  readonly address: Address;
  /** Version of the record that the decision was made on. */
  readonly version: number;
  readonly holderId?: string;
  readonly holder: NewHolder;
  /** New proof of ownership (rotation). */
  readonly secret?: SecretProof;
  readonly nowMs: number;
}

/** Ends one holder. With the last one the address ends: quarantined until a time, or free at once. */
export interface ReleaseRequest {
  readonly network: string;
  readonly address: Address;
  readonly version: number;
  readonly holderId: string;
  /** End of the quarantine; absent or not after `nowMs`: free at once. */
  readonly quarantineUntilMs?: number;
  readonly nowMs: number;
}

/** Which live records {@link ClaimStore.list} returns; a former holder in quarantine counts for `service`, `name` and
 * `uid`. */
export type ClaimQuery =
  | { readonly by: 'service'; readonly service: ServiceIdentity }
  | { readonly by: 'name'; readonly clusterUid: string; readonly namespace: string; readonly serviceName: string }
  | { readonly by: 'uid'; readonly serviceUid: string }
  | { readonly by: 'key'; readonly key: string }
  | { readonly by: 'zone'; readonly network: string; readonly zone: string }
  | { readonly by: 'cluster'; readonly clusterUid: string }
  | { readonly by: 'expired'; readonly state: 'reserved' | 'retained'; readonly beforeMs: number };

/**
 * One change of a live address, told after it is durable. `freed` also when the end of a quarantine is noticed: by a take
 * that needs the address.
 */
export interface ClaimChange {
  readonly kind: 'taken' | 'changed' | 'freed';
  readonly network: string;
  readonly zone: string;
  readonly address: Address;
}

/** Numbers of one zone and family. */
export interface ZoneTally {
  readonly network: string;
  readonly zone: string;
  readonly family: Family;
  readonly held: number;
  readonly quarantined: number;
}

/**
 * The durable record of who holds what. Every verb is atomic and durable when it answers; uniqueness of
 * (network, address) over live records rests on the store's own index, never on a cache or on leadership.
 *
 * Safe for parallel calls. After `close()` every call throws `store/closed`.
 */
export interface ClaimStore extends ClaimArchive {
  /**
   * Takes an address that nobody holds. Looked at in this order: the key, `maxReservedInNamespace` (for reserved holders),
   * `zoneQuota`, `clusterQuota`, `namespaceQuota`, the address.
   *
   * @returns the record; or refusal `address/held`, `address/quarantined` (with `retryAfterSeconds`), `pool/exhausted`,
   *   `reservation/limit`, `zone/quota`, `cluster/quota`, `namespace/quota`
   * @throws IpamError `store/unavailable`, `store/closed`
   */
  take(request: TakeRequest): Promise<Outcome<Taken>>;
  /**
   * Puts a holder on a held address: join, bind, option change, retention, recall, rotation.
   *
   * @returns the new record; or refusal `store/conflict` (the version is not the newest, or the key is taken), `claim/not-found`
   */
  bind(request: BindRequest): Promise<Outcome<AddressRecord>>;
  /**
   * Ends a holder.
   *
   * @returns the new record, undefined when the address became free; or refusal `store/conflict`, `claim/not-found`
   */
  release(request: ReleaseRequest): Promise<Outcome<AddressRecord | undefined>>;
  /** Reads one live record; expired quarantines are not live. */
  get(network: string, address: Address, nowMs: number): Promise<AddressRecord | undefined>;
  /** Reads the live records of a query, lowest address first. O(result) with an index for each query. */
  list(query: ClaimQuery, nowMs: number): Promise<readonly AddressRecord[]>;
  /**
   * Counts the changes of all records where this process alone has the store: who read a list between two equal counts need not
   * read it again. A quarantine that runs out is no change.
   *
   * @returns undefined where others may write as well
   */
  revision(): Promise<number | undefined>;
  /** Counts the live records of every zone. */
  tally(nowMs: number): Promise<readonly ZoneTally[]>;
  /** Tells each change of this process after it is durable; returns the function that stops it. */
  watch(listener: (change: ClaimChange) => void): () => void;
  /**
   * Reads or, in a store where nobody holds anything, writes the fingerprint of the secret key (`ports/secret-hasher`).
   * Without a candidate it only reads.
   *
   * @returns what is stored; empty text when no fingerprint was ever written
   */
  keyFingerprint(candidate?: string): Promise<string>;
  /**
   * Tries whether the store serves, writes included; costs the same however many addresses are held.
   *
   * @throws IpamError `store/unavailable`, `store/closed`
   */
  ping(): Promise<void>;
  /** Finishes what runs, then lets go of files and connections. Idempotent. */
  close(): Promise<void>;
}
