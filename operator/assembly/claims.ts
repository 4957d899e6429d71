import type { AddressBook } from '../ports/address-book';
import type { ClaimStore } from '../ports/claim-store';
import type { Disputes } from '../ports/disputes';
import type { FreedLog } from '../ports/freed-log';
import type { OutsideRows } from '../ports/outside-rows';
import type { RecordView } from '../ports/record-view';
import type { SecretHasher } from '../ports/secret-hasher';
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
  readonly store: ClaimStore;
  /** Names the store in messages on its key; absent where it forgets everything at its end. */
  readonly durableName?: string;
  /** Hashes secrets for this store; absent: the key of the installation does. */
  readonly hasher?: SecretHasher;
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
  /** Rows for an outside source; absent where the store keeps none. */
  readonly outsideRows?: OutsideRows;
  /** Adds to the sweep of the ledger what this store alone can sweep. */
  readonly withOwnSweep?: (book: AddressBook) => AddressBook;
  /** Finds what is wrong with the file of the store, one sentence; absent where it is not a file. */
  readonly fileProblem?: () => string | undefined;
  close(): Promise<void>;
}

/** Claims that another operator of ours keeps: there is no store here, and no key. */
export interface RemoteClaims {
  readonly kind: 'remote';
  readonly writers: Writers;
  readonly view: RecordView;
  readonly book: AddressBook;
  close(): Promise<void>;
}

/** Claims, wherever they are kept. */
export type OpenedClaims = OwnClaims | RemoteClaims;

/**
 * Shows the claims as everything beside the ledger reads them.
 *
 * @param claims - as they were opened
 * @returns counts, records and changes, read only
 */
export function recordView(claims: OpenedClaims): RecordView {
  return claims.kind === 'own' ? claims.store : claims.view;
}
