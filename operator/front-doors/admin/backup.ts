import { createReadStream, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import { refusalOf } from '../../errors/ipam-error';
import type { StoreBackup } from '../../ports/store-backup';
import type { Tools } from '../../ports/tools';
import { sendProblem } from '../../contract/ipam-api/v3/problem';

/** A store in a file, which copies itself while it serves. */
export interface FileBackup extends StoreBackup {
  /** Folder of the store, which has room for a copy as well. */
  readonly folder: string;
}

/** The store that is copied, and the log. */
export interface BackupParts extends Pick<Tools, 'logger'> {
  /** Absent where the store has backups of its own. */
  readonly backup?: FileBackup;
}

/** Start of the name of a folder with a copy that is under way. */
const PREFIX = '.ipam-backup-';

/**
 * Removes copies that were left behind: a process that was killed while it sent one left the whole store there. The lock on the
 * store proves that no other process makes one now.
 *
 * @param backup - of the store; absent where it is not a file
 */
export function removeOldCopies(backup: FileBackup | undefined): void {
  if (backup === undefined) return;
  for (const name of readdirSync(backup.folder))
    if (name.startsWith(PREFIX)) rmSync(join(backup.folder, name), { recursive: true, force: true });
}

/**
 * Serves a consistent copy of the store, for `ipam backup`.
 *
 * @param app - server of the admin socket
 * @param parts - the store's backup, and the logger
 */
export function addBackup(app: FastifyInstance, { backup, logger }: BackupParts): void {
  app.get(ADMIN_PATHS.backup, async (_request, reply) => {
    if (backup === undefined) {
      const message =
        'this store is not a file; back PostgreSQL up with pg_dump --schema=ipam, and keep the keys with it';
      return sendProblem(reply, { code: 'store/no-file', message });
    }
    const folder = mkdtempSync(join(backup.folder, PREFIX));
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
