import {
  chmodSync,
  createReadStream,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  accessSync,
  constants,
} from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { IPAM_API_BODY_BYTES } from '../contract/ipam-api/v2';
import { IpamError, refusalOf } from '../errors/ipam-error';
import { addOwnCluster } from './admin-own-cluster';
import { addStoredService } from './admin-stored-service';
import { ADMIN_LOGIN, type IpamApiV3Parts } from '../front-doors/ipam-api/v3/parts';
import { registerIpamApiV3 } from '../front-doors/ipam-api/v3/v3-routes';
import type { Cluster } from '../ports/cluster';
import type { StoreBackup } from '../ports/store-backup';
import { registerHealth, type HealthPaths } from '../server/health';
import { createWebServer, type WebServer } from '../server/https-server';
import { sendProblem } from '../server/json-errors';
import { OPTIONS } from '../settings/options';

/** What the admin socket serves. */
export interface AdminSocketParts extends IpamApiV3Parts {
  /** Where it listens; empty: nowhere. */
  readonly path: string;
  readonly health: HealthPaths;
  /** The operator's own cluster. */
  readonly cluster: Cluster;
  /** Absent where the store has backups of its own. */
  readonly backup?: StoreBackup & {
    /** Folder of the store, where a copy fits as well. */
    readonly folder: string;
  };
}

/** Path of the backup, beside version 3 since only this socket has it. */
const BACKUP_PATH = '/backup';
/** Start of the name of a folder with a copy that is under way. */
const BACKUP_PREFIX = '.ipam-backup-';

/**
 * Opens the Unix socket of the command line: version 3 of the IPAM-API with the rights of an administrator, health, and the backup.
 * Only the user of the operator may open it, so whoever may run commands in its Pod has these rights.
 *
 * @param parts - what it serves, and where
 * @returns the server, or undefined where none is wanted or its usual folder is missing
 * @throws IpamError `settings/invalid` when the socket cannot be made, or another process listens there
 */
export async function openAdminSocket(parts: AdminSocketParts): Promise<WebServer | undefined> {
  const { path, clock, logger, health } = parts;
  removeOldCopies(parts);
  if (path === '') return undefined;
  if (path === OPTIONS.adminSocket.default && !isWritable(dirname(path))) {
    logger.info('no admin socket, since its folder is not there to write to', { path });
    return undefined;
  }
  if (await isAlive(path)) throw unusable(path, 'another process listens there');
  const server = createWebServer({ bodyLimitBytes: IPAM_API_BODY_BYTES, clock, logger });
  registerIpamApiV3(server.app, parts, ADMIN_LOGIN);
  registerHealth(server.app, health);
  addBackup(server, parts);
  addStoredService(server, parts.cluster);
  addOwnCluster(server, parts.cluster);
  await listenAt(server, path);
  logger.info('listening', { name: 'adminSocket', path });
  return {
    ...server,
    close: async () => {
      rmSync(path, { force: true });
      await server.close();
    },
  };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

// A socket of a process that died stays behind and answers nobody.
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => {
      resolve(false);
    });
  });
}

// Made in a folder that only we may enter and moved when its mode is right: at no moment may anybody else connect.
async function listenAt({ app }: WebServer, path: string): Promise<void> {
  try {
    const folder = mkdtempSync(join(dirname(path), '.ipam-'));
    const draft = join(folder, 's');
    try {
      await app.listen({ path: draft });
      chmodSync(draft, 0o600);
      renameSync(draft, path);
    } finally {
      rmdirSync(folder);
    }
  } catch (error) {
    throw unusable(path, (error as NodeJS.ErrnoException).code ?? 'unknown reason', error);
  }
}

function unusable(path: string, why: string, cause?: unknown): IpamError {
  return new IpamError('settings/invalid', `the admin socket "${path}" cannot be made (${why})`, { cause });
}

// A process that was killed while it sent a copy left the whole store there; the lock on the store says that nobody else is at it.
function removeOldCopies({ backup }: AdminSocketParts): void {
  if (backup === undefined) return;
  for (const name of readdirSync(backup.folder))
    if (name.startsWith(BACKUP_PREFIX)) rmSync(join(backup.folder, name), { recursive: true, force: true });
}

function addBackup({ app }: WebServer, { backup, logger }: AdminSocketParts): void {
  app.get(BACKUP_PATH, async (_request, reply) => {
    if (backup === undefined) {
      const message =
        'this store is not a file; back PostgreSQL up with pg_dump --schema=ipam, and keep the keys with it';
      return sendProblem(reply, { code: 'store/no-file', message });
    }
    const folder = mkdtempSync(join(backup.folder, BACKUP_PREFIX));
    const copy = join(folder, 'ipam.sqlite');
    const forget = (): void => {
      rmSync(folder, { recursive: true, force: true });
    };
    try {
      await backup.backup(copy);
    } catch (thrown) {
      forget();
      return sendProblem(reply, refusalOf(thrown));
    }
    logger.info('backup made', { store: 'sqlite' });
    const stream = createReadStream(copy);
    // once it is open, the name is not needed any more
    stream.once('open', forget);
    return reply.type('application/vnd.sqlite3').header('content-length', statSync(copy).size).send(stream);
  });
}
