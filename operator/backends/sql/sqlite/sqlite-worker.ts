/**
 * Entry of the worker thread that owns the SQLite file: `node:sqlite` is synchronous, so its fsync would stop every webhook.
 * Started by `worker-thread.ts`, which says how this file is found in a bundle, in `lib/` and in the sources.
 */
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import type { DatabaseSync } from 'node:sqlite';
import { refusalOf } from '../../../errors/ipam-error';
import { ClaimTables } from './claim-tables';
import { GroupCommit, MAX_GROUP } from './group-commit';
import { openDatabase, storeError } from './open-database';
import { prepareStatements } from './statements';
import { WriteHealth } from './write-health';
import { writeBackup } from './sqlite-backup';
import type { BackupRequest, WireMessage, WireRequest } from './wire';

// Answers in groups: whatever arrived while the last transaction ran goes into the next one. No timer, no polling.
function serve(port: MessagePort, db: DatabaseSync, groups: GroupCommit): void {
  const waiting: WireRequest[] = [];
  // A step of a copy fails while its own connection writes, so claims wait for the copy: some tenths of a second.
  let copying = 0;
  const arrive = (message: readonly WireRequest[] | BackupRequest): void => {
    if ('backup' in message) void copy(message.backup);
    else waiting.push(...message);
  };
  const drain = (): void => {
    for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
      arrive(more.message as readonly WireRequest[] | BackupRequest);
    }
  };
  const copy = async (path: string): Promise<void> => {
    copying++;
    const backedUp = await writeBackup(db, path);
    copying--;
    port.postMessage({ backedUp } satisfies WireMessage);
    work();
  };
  const work = (): void => {
    while (waiting.length > 0 && copying === 0) {
      const group = waiting.splice(0, MAX_GROUP);
      const answers = groups.run(group);
      const closing = group.some(({ verb }) => verb === 'close');
      if (closing) db.close();
      port.postMessage({ answers } satisfies WireMessage);
      if (closing) port.close();
      else drain();
    }
  };
  port.on('message', (message: readonly WireRequest[] | BackupRequest) => {
    arrive(message);
    drain();
    work();
  });
}

function start(port: MessagePort, path: string): void {
  try {
    const db = openDatabase(path);
    const tables = new ClaimTables(prepareStatements(db));
    const health = new WriteHealth(path);
    serve(port, db, new GroupCommit(tables, (error) => storeError(error, path), health));
    port.postMessage({ opened: true } satisfies WireMessage);
  } catch (error) {
    const { code, message } = refusalOf(storeError(error, path));
    port.postMessage({ refused: { code, message } } satisfies WireMessage);
    port.close();
  }
}

if (parentPort !== null) start(parentPort, (workerData as { path: string }).path);
