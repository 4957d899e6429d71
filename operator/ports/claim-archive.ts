import type { Address, Family } from '../addressing/address';
import type { PrefixSet } from '../addressing/prefix-set';
import type { Outcome } from '../errors/outcome';
import type { AddressRecord, HolderState, ServiceIdentity, TakeRequest } from './claim-record';

/** What a zone may give of one family. */
export interface ZoneSpace {
  readonly network: string;
  readonly zone: string;
  readonly family: Family;
  readonly space: PrefixSet;
}

/** Live addresses of one zone and family, each counted once, under the strongest state of its holders (bound first). */
export interface UsageTally {
  readonly network: string;
  readonly zone: string;
  readonly family: Family;
  readonly reserved: number;
  readonly bound: number;
  readonly retained: number;
  readonly quarantined: number;
  /** Of those, the ones that the asked space does not hold; all of them where no space was asked for. */
  readonly outside: number;
  /** Live addresses of the network that the asked space holds, whatever zone they were taken under. */
  readonly occupied: number;
  /**
   * Addresses of the asked space that an outside source has for others, as far as it was read, and that nobody holds here; absent:
   * none.
   */
  readonly foreign?: bigint;
}

/** What an outside source says of an address that nobody holds here. */
export interface ForeignWord {
  /** `foreign`: it has the address for somebody else; `unknown`: it does not answer, so a request would not get the address now. */
  readonly kind: 'foreign' | 'unknown';
  /** Half a sentence that begins with the name of the source. Never holds a secret. */
  readonly words: string;
}

/** Which live records {@link ClaimArchive.page} returns; one holder, or the former one in quarantine, has all that is named. */
export interface RecordFilter {
  readonly network?: string;
  readonly zone?: string;
  readonly clusterUid?: string;
  /** Name of the namespace. */
  readonly namespace?: string;
  readonly serviceName?: string;
  /** State of a holder, or the quarantine of the address. */
  readonly state?: HolderState | 'quarantined';
}

/** Where a page begins, and how long it is. */
export interface RecordPage {
  readonly limit: number;
  /** The last record of the page before. */
  readonly after?: { readonly network: string; readonly address: Address };
}

/** One span of time in which somebody had an address in one state. */
export interface PastClaim {
  /** Place in the history of its address; grows with time. */
  readonly place: number;
  readonly zone: string;
  readonly service: ServiceIdentity;
  readonly namespace: string;
  readonly serviceUid?: string;
  readonly state: HolderState | 'quarantined';
  readonly fromMs: number;
  /** Absent while it lasts. */
  readonly untilMs?: number;
}

/** Who asks which address it had last. */
export interface FormerHolder {
  readonly network: string;
  readonly family: Family;
  readonly service: ServiceIdentity;
  /** Name of the namespace; counts beside its UID, unless empty. */
  readonly namespace: string;
}

/** One cluster that has claims or has reported. */
export interface ClusterTally {
  readonly clusterUid: string;
  readonly name: string;
  /** Live holders. */
  readonly claims: number;
  readonly reportedAtMs?: number;
}

/** How many live records were hashed with a key. */
export interface KeyUse {
  readonly keyId: string;
  readonly records: number;
}

/**
 * What a store tells of its record beside the verbs of claims, and the little that it keeps with it. Reads see what was asked
 * for before them. After `close()` every call throws `store/closed`.
 */
export interface ClaimArchive {
  /**
   * Counts every zone: one entry for each space, and one for each other zone and family with live records; by network,
   * zone, family. O(live records), never O(space).
   */
  usage(spaces: readonly ZoneSpace[], nowMs: number): Promise<readonly UsageTally[]>;
  /** Reads live records by network, then lowest address first (IPv4 before IPv6). */
  page(filter: RecordFilter, page: RecordPage, nowMs: number): Promise<readonly AddressRecord[]>;
  /** Reads who had an address, newest first, beginning before the place `before`; bounded by what was pruned. */
  history(
    at: { readonly network: string; readonly address: Address },
    page: { readonly limit: number; readonly before?: number },
    nowMs: number,
  ): Promise<readonly PastClaim[]>;
  /** Finds the address that a Service, once stored, gave up last. */
  lastAddress(of: FormerHolder): Promise<Address | undefined>;
  /** Tells what `take` would answer now: an address to take, the one that holds the key, or the refusal. Takes nothing. */
  peek(request: TakeRequest): Promise<Outcome<Address>>;
  /**
   * Tells why an address that nobody holds here cannot be had all the same; undefined where nothing outside stands in the way.
   * Absent where there is no outside source.
   */
  foreignAt?(at: {
    readonly network: string;
    readonly zone: string;
    readonly address: Address;
  }): Promise<ForeignWord | undefined>;
  /** Keeps that a cluster sent a complete list of its Services. An empty name leaves the known one. */
  reportCluster(report: {
    readonly clusterUid: string;
    readonly name: string;
    readonly atMs: number;
  }): Promise<undefined>;
  /** Lists clusters by UID; holders without a cluster are nobody's. */
  clusters(): Promise<readonly ClusterTally[]>;
  /** Deletes some of what ended before a time; never what is live. Returns how many spans went: 0 when all are gone. */
  prune(old: { readonly endedBeforeMs: number; readonly limit: number }): Promise<number>;
  /** Counts live records by the key that hashed their secret, by key id. */
  keyUse(): Promise<readonly KeyUse[]>;
  /** Replaces the fingerprint of the keys if it is `before`; tells whether it did. */
  replaceKeyFingerprint(before: string, after: string): Promise<boolean>;
  /** Keeps a text under a name, where one is given, and reads what is kept; empty where nothing ever was. */
  note(note: { readonly name: string; readonly text?: string }): Promise<string>;
}
