import type { Address, Family } from '../addressing/address';
import type { Outcome } from '../errors/outcome';
import type { ClaimState, ReserveRequest, ServiceIdentity } from './address-book';
import type { AddressRecord, ClaimOptions, HolderState, SecretProof } from './claims';
import type { OccupiedAddress } from './occupied-addresses';
import type { ForeignAnswer } from './foreign-addresses';

/**
 * Exact numbers of one zone and family. `held` = `reserved` + `bound` + `retained`, counted by address, the strongest state first. Where
 * another operator keeps the claims, what it does not tell of is absent.
 */
export interface ZoneUsage {
  readonly network: string;
  readonly zone: string;
  readonly family: Family;
  /** Addresses that the zone may give, without the excluded ones; 0 for a zone that is gone but still has holders. */
  readonly capacity: bigint;
  readonly reserved: bigint;
  readonly bound: bigint;
  readonly retained?: bigint;
  readonly quarantined?: bigint;
  /** Addresses that Services only show, without a grant. */
  readonly contested?: bigint;
  /** Addresses held or quarantined that the zone would not give any more (it shrank, or they are excluded now). */
  readonly outside: bigint;
  /** Addresses inside of the zone that clusters show without a claim, or that an outside source has for others. */
  readonly foreign: bigint;
  /** `capacity` minus what is held or quarantined inside of it, and minus `foreign`. */
  readonly free: bigint;
  /** Most held addresses of the zone, both families together. */
  readonly quota?: number;
  readonly draining: boolean;
}

/** Which live records to show; every field narrows, and one holder, or the former one in quarantine, has all that is named. */
export interface ClaimFilter {
  readonly network?: string;
  readonly zone?: string;
  readonly clusterUid?: string;
  /** Name of the namespace. */
  readonly namespace?: string;
  readonly serviceName?: string;
  /** State of a holder, or the quarantine of the address. */
  readonly state?: HolderState | 'quarantined';
}

/** One page of a listing. */
export interface PageRequest {
  /** Most entries, 1 to 1,000. */
  readonly limit: number;
  /** `next` of the page before; opaque. */
  readonly after?: string;
}

/** Entries of one page, and how to get the following one. */
export interface Page<T> {
  readonly entries: readonly T[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** One span of time in which a holder had an address in one state. Never holds a secret. */
export interface HistoryEntry {
  readonly network: string;
  readonly zone: string;
  readonly address: Address;
  readonly service: ServiceIdentity;
  /** Name of the namespace, empty where only the UID was known. */
  readonly namespace: string;
  readonly serviceUid?: string;
  readonly state: ClaimState | 'quarantined';
  readonly fromMs: number;
  /** Absent while it lasts. */
  readonly untilMs?: number;
}

/** Address that a reservation would get now; nothing is reserved by asking. */
export interface Planned {
  readonly zone: string;
  readonly family: Family;
  readonly address: Address;
  /** `kept`: the claimant holds it already; `returned`: it comes back to its former holder; `new`: free; `joined`: shared. */
  readonly kind: 'kept' | 'returned' | 'new' | 'joined';
}

/** One claim that a clean-up ends, or that stands against it. */
export interface CleanupEntry {
  readonly network: string;
  readonly zone: string;
  readonly address: Address;
  readonly service: ServiceIdentity;
  readonly namespace: string;
  /** `released`: ends now; `retained`: its retention begins; `denied`: `deny_external_cleanup` protects it; `joined`: others stay. */
  readonly verdict: 'released' | 'retained' | 'denied' | 'joined';
  readonly untilMs?: number;
}

/** A cluster that has claims here or has ever reported. */
export interface ClusterSummary {
  readonly clusterUid: string;
  /** Name that the cluster gave itself, empty where it never reported. */
  readonly name: string;
  readonly claims: number;
  /** Last complete report of its Services, milliseconds since 1970; absent where there was none. */
  readonly reportedAtMs?: number;
}

/** A claim without a Service: an address that its name keeps until it is given up. */
export interface StandingClaim {
  /** Unique in the installation, 1 to 253 characters. */
  readonly name: string;
  readonly zone: string;
  readonly family: Family;
  /** The wished address; absent: the lowest free one. */
  readonly wish?: Address;
  /** A claimant with this secret may join with a Service. */
  readonly secret: string;
  /** Its purpose, on one line. */
  readonly purpose: string;
}

/** One address of another system that shall be on record here exactly as it was there. */
export interface ImportedClaim {
  readonly zone: string;
  readonly address: Address;
  readonly secret: string;
  readonly services: readonly {
    readonly service: ServiceIdentity;
    readonly options: ClaimOptions;
    /** End of its retention, milliseconds since 1970; absent while it lives. */
    readonly expiresAtMs?: number;
  }[];
}

/** Result for one imported claim. */
export interface ImportResult {
  readonly zone: string;
  readonly address: Address;
  /** `same`: it was on record already, so a second run changes nothing. */
  readonly verdict: 'imported' | 'same' | 'refused';
  /** Why not; absent unless refused. */
  readonly problem?: string;
}

/** Lists of the record, for people and other programs. */
interface Listings {
  /** Exact numbers of every zone and family, also of zones that are gone but have holders; by network, zone, family. */
  zones(): Promise<readonly ZoneUsage[]>;
  /** Live records that match, lowest address first within a network. */
  claims(filter: ClaimFilter, page: PageRequest): Promise<Page<AddressRecord>>;
  /** One live record. */
  claim(network: string, address: Address): Promise<AddressRecord | undefined>;
  /** Why an address of a zone that is free here cannot be had all the same; undefined where no other source objects. */
  foreign(at: {
    readonly network: string;
    readonly zone: string;
    readonly address: Address;
  }): Promise<ForeignAnswer | undefined>;
  /** By what clusters show an address without a claim, the cluster that comes first first. */
  uses(at: { readonly network: string; readonly address: Address }): Promise<readonly OccupiedAddress[]>;
  /** Live record of the claim for which a caller of a cluster chose this key. */
  keyed(clusterUid: string, key: string): Promise<AddressRecord | undefined>;
  /** Former holders of an address, newest first; `store/no-history` where the record keeps nothing of what ended. */
  history(network: string, address: Address, page: PageRequest): Promise<Outcome<Page<HistoryEntry>>>;
  /** Answers as `reserve` would now. Takes nothing. */
  plan(request: ReserveRequest): Promise<Outcome<Planned>>;
}

/** Changes by administrators of claims that are not theirs. */
interface Administration {
  /** Ends one holder without its secret, for administrators; `claim/not-found` when it ended already. */
  release(request: {
    readonly network: string;
    readonly address: Address;
    readonly holderId: string;
    /** True: the owner itself gives it up, so its retention begins, as after the end of a Service. */
    readonly retain?: boolean;
    /** Only while the address has this version; else `api/outdated`. */
    readonly version?: number;
  }): Promise<Outcome<{ readonly quarantinedUntilMs?: number }>>;
  /** Gives an address another secret without the old one, for administrators; refused `secret/shared` while several hold it. */
  replaceSecret(request: {
    readonly network: string;
    readonly address: Address;
    readonly secret: string;
  }): Promise<Outcome<SecretProof>>;
  /**
   * Reads the secret of an address again, for administrators: `secret/not-recoverable` unless the installation keeps secrets
   * recoverable. The answer must never be logged.
   */
  revealSecret(network: string, address: Address): Promise<Outcome<{ readonly secret: string }>>;
}

/** Clusters that use the record. */
export interface ClusterRegister {
  /** Clusters with claims or reports, by UID; `store/no-reports` where the record keeps no reports of clusters. */
  clusters(): Promise<Outcome<readonly ClusterSummary[]>>;
  /** Notes that a cluster has reported now, and the name that it gave itself, if it did. */
  reported(report: { readonly clusterUid: string; readonly name?: string }): Promise<void>;
  /**
   * Ends what a cluster holds: each claim is retained for its own retention or released, and one with `deny_external_cleanup`
   * stays. Asking again finds nothing more to do. With `dryRun` it only tells.
   */
  clearCluster(request: { readonly clusterUid: string; readonly dryRun: boolean }): Promise<readonly CleanupEntry[]>;
}

/** Claims without a Service. */
interface StandingClaims {
  /** Takes or finds a standing claim; the same name with another wish, zone or family is refused `claim/key-used`, another purpose replaces the old one. */
  putStanding(claim: StandingClaim): Promise<Outcome<AddressRecord>>;
  /** Live record of a standing claim; undefined when there is none. */
  standing(name: string): Promise<AddressRecord | undefined>;
  /** Gives a standing claim up; `claim/not-found` when there is none. */
  endStanding(name: string): Promise<Outcome<{ readonly address: Address }>>;
}

/** Claims of another system. */
interface Imports {
  /** Puts one address of another system on record; see {@link ImportResult}. With `dryRun` it only tells. */
  importClaim(claim: ImportedClaim, dryRun: boolean): Promise<ImportResult>;
}

/**
 * Queries and changes beside reserving and releasing, for people and other programs: implemented by the ledger. Refusals are
 * values; a store that is away throws `store/unavailable`.
 */
export interface Registry extends Listings, Administration, ClusterRegister, StandingClaims, Imports {}
