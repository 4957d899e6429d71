import { readFile } from 'node:fs/promises';

import { MemoryClaimStore } from './backends/memory/memory-claim-store';
import { openPostgresStore } from './backends/sql/postgres-claim-store';
import { openSqliteStore } from './backends/sql/sqlite-claim-store';
import { IpamError } from './errors/ipam-error';
import type { ClusterAccess } from './on-cluster';
import type { AddressBook } from './ports/address-book';
import type { ClaimStore } from './ports/claim-store';
import type { SecretHasher } from './ports/secret-hasher';
import { openRemote } from './remote';
import { requireServed } from './served-settings';
import type { Settings } from './settings/options';
import type { Tools } from './surroundings';

/** Where claims are kept. */
export interface ClaimsRecord {
  /** Closed by whoever opened the record. */
  readonly store: ClaimStore;
  /** Hashes secrets for this store; absent: one with the key of the installation. */
  readonly hasher?: SecretHasher;
  /** Adds to the sweep of the ledger what this store has to sweep. */
  swept?(book: AddressBook): AddressBook;
}

/**
 * Opens the record that the settings name.
 *
 * @param settings - of the process
 * @param tools - clock, logger, meter
 * @param access - the cluster, which a remote record needs; absent without one
 * @returns the store, and what goes with it
 * @throws IpamError with the code of what is wrong
 */
export async function openRecord(settings: Settings, tools: Tools, access?: ClusterAccess): Promise<ClaimsRecord> {
  const { clock, meter } = tools;
  const onGroup = (requests: number): void => {
    meter.count('store_groups_total');
    meter.observe('store_group_size', requests);
  };
  switch (requireServed(settings)) {
    case 'memory':
      return { store: new MemoryClaimStore() };
    case 'sqlite':
      return { store: await openSqliteStore({ path: settings.sqliteFile, onGroup }) };
    case 'postgres': {
      const dsn = (): Promise<string> => readFile(settings.postgresDsnFile, 'utf8');
      const ca = settings.postgresCaFile === '' ? {} : { caFile: settings.postgresCaFile };
      return { store: await openPostgresStore({ dsn, ...ca, clock, onGroup }) };
    }
    case 'remote':
      if (access === undefined) throw new IpamError('settings/invalid', 'value "remote" of --store needs a cluster');
      return openRemote(settings, tools, access);
  }
}
