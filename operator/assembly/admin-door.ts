import { dirname } from 'node:path';
import { openAdminSocket, type AdminSocketParts } from './admin-socket';
import type { Registry } from '../ports/registry';
import type { StoreBackup } from '../ports/store-backup';
import type { WebServer } from '../server/https-server';
import type { Settings } from '../settings/options';
import type { Surroundings } from './surroundings';

/**
 * Opens the admin socket as the settings say, with a backup where the store is a file.
 *
 * @param settings - where it listens, which store
 * @param record - the store itself, whatever is put in front of it
 * @param parts - what version 3 needs, and health
 * @returns the servers that were opened: none or one
 */
export async function adminServers(
  settings: Settings,
  record: object,
  parts: Omit<AdminSocketParts, 'path' | 'backup' | 'deadlineSeconds' | 'registry' | 'cluster'> & {
    readonly surroundings: Pick<Surroundings, 'cluster'>;
    readonly registry: Registry | undefined;
  },
): Promise<readonly WebServer[]> {
  const { registry } = parts;
  // the command line speaks to the operator that keeps the record
  if (registry === undefined) return [];
  const { adminSocket: path, ipamApiDeadlineSeconds: deadlineSeconds, sqliteFile } = settings;
  const folder = dirname(sqliteFile);
  const copies = isCopied(record) ? { backup: { folder, backup: (to: string) => record.backup(to) } } : {};
  const server = await openAdminSocket({
    ...parts,
    cluster: parts.surroundings.cluster,
    registry,
    ...copies,
    path,
    deadlineSeconds,
  });
  return server === undefined ? [] : [server];
}

function isCopied(store: object): store is StoreBackup {
  return 'backup' in store;
}
