import type { AddressBook } from '../ports/address-book';
import type { MarkedStore } from '../backends/system/hash-key';
import type { ClaimCounts } from '../ports/claim-counts';
import type { ClaimHistory } from '../ports/claim-history';
import type { ClaimRevision } from '../ports/claim-revision';
import type { Claims, Exchanges } from '../ports/claims';
import type { Clock } from '../ports/clock';
import type { ClusterRenames } from '../ports/cluster-renames';
import type { ClusterReports } from '../ports/cluster-reports';
import type { Disputes } from '../ports/disputes';
import type { ForeignAddresses } from '../ports/foreign-addresses';
import type { FreedLog } from '../ports/freed-log';
import type { Notes } from '../ports/notes';
import type { FindOccupied, OccupiedAddresses } from '../ports/occupied-addresses';
import type { OutsideRows } from '../ports/outside-rows';
import type { SecretHasher } from '../ports/secret-hasher';
import type { OwnStore, RecordView, Store } from '../ports/store';
import type { StoreBackup } from '../ports/store-backup';
import type { LeaderWork } from '../runtime/leadership';

/**
 * Writers that can be on the claims at the same time: this process alone, which the lock on the store makes the leader; the
 * processes of this cluster; or those of several clusters.
 */
type Writers = 'process' | 'cluster' | 'clusters';

/** Claims that this operator keeps itself, in a store. */
export interface OwnClaims {
  readonly kind: 'own';
  readonly writers: Writers;
  /** Clock of the store, with which everything stored is compared. */
  readonly clock: Clock;
  readonly store: Claims & ClaimCounts & Pick<Store, 'ping'>;
  /** Absent where other processes may write to the store as well. */
  readonly revision?: ClaimRevision;
  /** Absent where holders cannot change places in one piece. */
  readonly exchanges?: Exchanges;
  /** Absent where the store keeps nothing of what ended. */
  readonly history?: ClaimHistory;
  /** Absent where the store hears of no cluster but its own. */
  readonly reports?: ClusterReports;
  /** Absent where the store cannot rename a cluster in one piece. */
  readonly renames?: ClusterRenames;
  /** Absent where the store has no place for them. */
  readonly notes?: Notes;
  /** Says what other sources have for others; absent without one. */
  readonly foreign?: ForeignAddresses;
  /** Names the store in messages on its key; absent where it forgets everything at its end. */
  readonly durableName?: string;
  /** Hashes secrets for this store: a hasher of its own, or the one with the key of the installation, whose mark the store has. */
  readonly keys:
    | { readonly kind: 'given'; readonly hasher: SecretHasher }
    | { readonly kind: 'installation'; readonly mark: MarkedStore };
  /** Work of the leader for this store. */
  readonly leaderWork?: LeaderWork;
  /** Addresses that the system behind the store has for another owner. */
  readonly disputes?: Disputes;
  /** Copies the store while it serves; absent where it is not a file. */
  readonly backup?: StoreBackup & {
    /** Folder of the store, which has room for a copy as well. */
    readonly folder: string;
  };
  /** Freed addresses of every process; absent where this process alone writes to the store and forgets them at its end. */
  readonly freedLog?: FreedLog;
  /** Addresses that clusters show without a claim; absent where the store keeps none. */
  readonly occupied?: OccupiedAddresses;
  /** Rows for an outside source; absent where the store keeps none. */
  readonly outsideRows?: OutsideRows;
  /** Adds to the sweep of the ledger what this store alone can sweep. */
  readonly withOwnSweep?: (book: AddressBook) => AddressBook;
  /** Counts the bytes of the store; absent where it is not on a disk of ours. */
  readonly bytes?: () => Promise<number>;
  /** Finds what is wrong with the file of the store, one sentence; absent where it is not a file. */
  readonly fileProblem?: () => string | undefined;
  close(): Promise<void>;
}

/** Claims that another operator of ours keeps: there is no store here, and no key. */
export interface RemoteClaims {
  readonly kind: 'remote';
  readonly writers: Writers;
  /** Clock of this process: durations alone come from the other operator. */
  readonly clock: Clock;
  readonly view: RecordView;
  readonly book: AddressBook;
  /** Where what the own cluster shows without a claim is put on record, and what it has there; absent where there is no place. */
  readonly shown?: {
    readonly findUses: FindOccupied;
    readonly claims: Pick<Claims, 'get' | 'watch'>;
  };
  close(): Promise<void>;
}

/** No record of zones: the doors that are open have their claims as objects of the cluster. */
export interface NoClaims {
  readonly kind: 'none';
  /** Names of objects are the lock between processes, and a Lease says which of them leads. */
  readonly writers: 'cluster';
  /** Clock of this process. */
  readonly clock: Clock;
  close(): Promise<void>;
}

/** A record of zones, wherever it is kept. */
export type RecordedClaims = OwnClaims | RemoteClaims;

/** Claims of zones, or none. */
export type OpenedClaims = RecordedClaims | NoClaims;

/**
 * Shows the claims as everything beside the ledger reads them.
 *
 * @param claims - as they were opened
 * @returns counts, records and changes, read only
 */
export function recordView(claims: RecordedClaims): RecordView {
  if (claims.kind === 'remote') return claims.view;
  const { store, reports } = claims;
  return {
    list: (query) => store.list(query),
    watch: (listener) => store.watch(listener),
    usage: (spaces) => store.usage(spaces),
    tally: () => store.tally(),
    ping: () => store.ping(),
    ...(reports === undefined ? {} : { clusters: () => reports.clusters() }),
    page: (filter, page) => store.page(filter, page),
  };
}

/**
 * Finds the place for notes beside the claims.
 *
 * @param claims - as they were opened
 * @returns the notes; undefined where there is no place for them
 */
export function notesOf(claims: RecordedClaims): Notes | undefined {
  return claims.kind === 'own' ? claims.notes : undefined;
}

/**
 * Takes a store of ours as all that an opened one can be.
 *
 * @param store - keeps everything
 * @returns its parts
 */
export function partsOf(
  store: OwnStore,
): Pick<OwnClaims, 'store' | 'exchanges' | 'history' | 'reports' | 'renames' | 'notes' | 'keys'> {
  return {
    store,
    exchanges: store,
    history: store,
    reports: store,
    renames: store,
    notes: store,
    keys: { kind: 'installation', mark: store },
  };
}
