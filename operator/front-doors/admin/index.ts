import type { FastifyInstance } from 'fastify';
import type { Cluster } from '../../ports/cluster';
import { addActions, type AdminActions } from './actions';
import { addBackup, type BackupParts } from './backup';
import { addOwnCluster } from './own-cluster';
import { addLeftAlone, type LeftAloneReader } from './left-alone';
import { addMissingRecord } from './missing-record';
import { addStoredService, type StoredServiceParts } from './stored-service';

export type { AdminActions } from './actions';
export { removeOldCopies } from './backup';

/** Version 3, backup and cluster behind the admin door. */
export interface AdminDoorParts extends BackupParts, StoredServiceParts {
  /** The cluster that the operator serves. */
  readonly cluster: Pick<Cluster, 'clusterUid' | 'families' | 'service'>;
  /** Actions that change the operator's own cluster. */
  readonly actions: AdminActions;
  /** Adds version 3 of the IPAM-API, with the rights of an administrator. */
  readonly addVersion3: (app: FastifyInstance) => void;
  /** Absent where no Services are served. */
  readonly leftAlone?: LeftAloneReader;
}

/**
 * Opens the admin door on a server: version 3 of the IPAM-API with the rights of an administrator, the backup, and pages on the
 * operator's own cluster. Every caller has these rights, so the server must listen where only the operator's user can connect.
 *
 * @param app - server that does not listen yet
 * @param parts - version 3, backup, cluster
 */
export function registerAdminDoor(app: FastifyInstance, parts: AdminDoorParts): void {
  parts.addVersion3(app);
  addBackup(app, parts);
  addStoredService(app, parts);
  addActions(app, parts.actions);
  addOwnCluster(app, parts.cluster);
  if (parts.leftAlone !== undefined) addLeftAlone(app, parts.leftAlone);
}

/**
 * Opens the admin door of an operator that keeps no record of zones: the pages on its cluster are there, and everything that needs the
 * record is refused with the reason.
 *
 * @param app - server that does not listen yet
 * @param parts - cluster, and why there is no record here
 */
export function registerWithoutRecord(
  app: FastifyInstance,
  { cluster, why }: { readonly cluster: Pick<Cluster, 'clusterUid' | 'families'>; readonly why: string },
): void {
  addOwnCluster(app, cluster);
  addMissingRecord(app, why);
}
