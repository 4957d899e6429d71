import { readFile } from 'node:fs/promises';

import { MemoryClaimStore } from '../backends/memory/memory-claim-store';
import { openPostgresStore } from '../backends/sql/postgres/postgres-claim-store';
import { openSqliteStore } from '../backends/sql/sqlite/sqlite-claim-store';
import { IpamError } from '../errors/ipam-error';
import type { ClusterAccess } from './on-cluster';
import type { OutsideRowsHost } from '../ports/outside-rows';
import type { OwnStore } from '../ports/store';
import { openRemote, type RemoteRecord } from './remote';
import { openFarRecord, type FarRecord } from './remote-v3';
import { requireServed } from './served-settings';
import type { Settings } from '../settings/options';
import type { Tools } from '../ports/tools';

/** A record that this operator keeps itself, in a store. */
interface OwnRecord {
  readonly store: OwnStore & Partial<OutsideRowsHost>;
}

/** Where claims are kept. Closed by whoever opened it. */
export type ClaimsRecord = OwnRecord | RemoteRecord | FarRecord;

/**
 * Tells whether an IPAM-API of version 2 keeps a record.
 *
 * @param kept - as it was opened
 * @returns true when it does
 */
export function isRemote(kept: ClaimsRecord): kept is RemoteRecord {
  return 'swept' in kept;
}

/**
 * Tells who keeps a record.
 *
 * @param kept - as it was opened
 * @returns true when another operator does
 */
export function isFar(kept: ClaimsRecord): kept is FarRecord {
  return 'view' in kept;
}

/**
 * Lets go of a record.
 *
 * @param kept - as it was opened
 * @returns once what runs is finished
 */
export async function closeRecord(kept: ClaimsRecord): Promise<void> {
  if (isFar(kept)) kept.close();
  else await kept.store.close();
}

/**
 * Opens the record that the settings name.
 *
 * @param settings - of the process
 * @param tools - clock, logger, meter
 * @param access - the cluster, which a remote record needs; absent without one
 * @returns the store and what goes with it, or the way to the record
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
      return { store: new MemoryClaimStore(clock) };
    case 'sqlite':
      return { store: await openSqliteStore({ path: settings.sqliteFile, clock, onGroup }) };
    case 'postgres': {
      const dsn = (): Promise<string> => readFile(settings.postgresDsnFile, 'utf8');
      const ca = settings.postgresCaFile === '' ? {} : { caFile: settings.postgresCaFile };
      return { store: await openPostgresStore({ dsn, ...ca, clock, onGroup }) };
    }
    case 'remote':
      if (access === undefined) throw new IpamError('settings/invalid', 'value "remote" of --store needs a cluster');
      return settings.ipamApiVersion === '3'
        ? openFarRecord(settings, tools, access)
        : openRemote(settings, tools, access);
  }
}
