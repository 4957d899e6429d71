import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileBytes } from '../backends/files/file-bytes';
import { followFile } from '../backends/sql/sqlite/same-file';
import { MemoryClaimStore } from '../backends/memory/memory-claim-store';
import { openPostgresStore } from '../backends/sql/postgres/postgres-claim-store';
import { openSqliteStore } from '../backends/sql/sqlite/sqlite-claim-store';
import { IpamError } from '../errors/ipam-error';
import type { Tools } from '../ports/tools';
import type { Settings } from '../settings/options';
import { partsOf, type NoClaims, type OpenedClaims, type OwnClaims } from './claims';
import type { Connection } from './environment';
import { openRemoteV2, type RemoteV2Settings } from './remote-v2';
import { openRemoteV3, type RemoteV3Settings } from './remote-v3';
import { requireServed, type ServedSettings } from './served-settings';

type SqliteSettings = Pick<Settings, 'sqliteFile'>;
type PostgresSettings = Pick<Settings, 'postgresDsnFile' | 'postgresCaFile'>;
type ClaimsSettings = Pick<Settings, 'ipamApiVersion'> &
  ServedSettings &
  SqliteSettings &
  PostgresSettings &
  RemoteV2Settings &
  RemoteV3Settings;

/**
 * Opens the claims in the store that the settings name.
 *
 * @param settings - store, and where it is
 * @param tools - clock, logger, meter
 * @param connection - to the cluster, which a remote store needs
 * @returns the store and what it can do, the remote claims, or none
 * @throws IpamError with the code of what is wrong
 */
export async function openClaims(
  settings: ClaimsSettings,
  tools: Tools,
  connection: Connection,
): Promise<OpenedClaims> {
  switch (requireServed(settings)) {
    case 'memory':
      return openMemory(tools);
    case 'sqlite':
      return openSqlite(settings, tools);
    case 'postgres':
      return openPostgres(settings, tools);
    case 'objects':
      return noClaims(tools);
    case 'remote':
      if (connection.kind === 'standalone')
        throw new IpamError('settings/invalid', 'value "remote" of --store needs a cluster');
      return settings.ipamApiVersion === '3'
        ? openRemoteV3(settings, tools, connection)
        : openRemoteV2(settings, tools, connection);
  }
}

function openMemory({ clock }: Tools): OwnClaims {
  const store = new MemoryClaimStore(clock);
  return {
    kind: 'own',
    writers: 'process',
    clock,
    ...partsOf(store),
    revision: store,
    occupied: store.occupiedAddresses(),
    outsideRows: store.outsideRows(),
    close: () => store.close(),
  };
}

const noClaims = ({ clock }: Tools): NoClaims => ({
  kind: 'none',
  writers: 'cluster',
  clock,
  close: () => Promise.resolve(),
});

async function openSqlite({ sqliteFile: path }: SqliteSettings, tools: Tools): Promise<OwnClaims> {
  const store = await openSqliteStore({ path, clock: tools.clock, onGroup: countGroups(tools) });
  return {
    kind: 'own',
    writers: 'process',
    clock: tools.clock,
    ...partsOf(store),
    revision: store,
    durableName: path,
    backup: { folder: dirname(path), backup: (to) => store.backup(to) },
    freedLog: store.freedLog(),
    occupied: store.occupiedAddresses(),
    outsideRows: store.outsideRows(),
    bytes: () => fileBytes(path, `${path}-wal`),
    fileProblem: followFile(path),
    close: () => store.close(),
  };
}

async function openPostgres(settings: PostgresSettings, tools: Tools): Promise<OwnClaims> {
  const { postgresDsnFile, postgresCaFile: caFile } = settings;
  const store = await openPostgresStore({
    dsn: () => readFile(postgresDsnFile, 'utf8'),
    ...(caFile === '' ? {} : { caFile }),
    clock: tools.clock,
    onGroup: countGroups(tools),
  });
  return {
    kind: 'own',
    writers: 'clusters',
    clock: store.clock,
    ...partsOf(store),
    durableName: 'postgres',
    bytes: () => store.bytes(),
    freedLog: store.freedLog(),
    occupied: store.occupiedAddresses(),
    outsideRows: store.outsideRows(),
    close: () => store.close(),
  };
}

function countGroups({ meter }: Tools): (requests: number) => void {
  return (requests) => {
    meter.count('store_groups_total');
    meter.observe('store_group_size', requests);
  };
}
