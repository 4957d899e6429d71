/**
 * Entry of the worker thread that owns the SQLite file: `node:sqlite` is synchronous, so its fsync would stop every webhook.
 * Started by `worker-thread.ts`, which says how this file is found in a bundle, in `lib/` and in the sources.
 */
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import type { DatabaseSync } from 'node:sqlite';
import { refusalOf } from '../../../errors/ipam-error';
import { EndClamp } from './clamp-ends';
import { ClaimTables } from './claim-tables';
import { GroupCommit, MAX_GROUP } from './group-commit';
import { openDatabase, storeError } from './open-database';
import { prepareStatements } from './statements';
import { WriteHealth } from './write-health';
import { writeBackup } from './sqlite-backup';
import type { WireMessage, WireOrder, WireRequest } from './wire';

/** Functions that serve the requests of a group, and repair stored ends before it. */
interface Served {
  readonly groups: GroupCommit;
  readonly ends: EndClamp;
}

// Answers in groups: whatever arrived while the last transaction ran goes into the next one. No timer, no polling.
function serve(port: MessagePort, db: DatabaseSync, { groups, ends }: Served): void {
  const waiting: WireRequest[] = [];
  // A step of a copy fails while its own connection writes, so claims wait for the copy: some tenths of a second.
  let copying = 0;
  const arrive = (order: WireOrder): void => {
    if (order.kind === 'backup') void copy(order.path);
    else waiting.push(...order.requests);
  };
  const drain = (): void => {
    for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
      arrive(more.message as WireOrder);
    }
  };
  const copy = async (path: string): Promise<void> => {
    copying++;
    const backedUp = await writeBackup(db, path);
    copying--;
    port.postMessage(backedUp satisfies WireMessage);
    work();
  };
  const work = (): void => {
    while (waiting.length > 0 && copying === 0) {
      const group = waiting.splice(0, MAX_GROUP);
      ends.look(group);
      const answers = groups.run(group);
      const closing = group.some(({ verb }) => verb === 'close');
      if (closing) db.close();
      port.postMessage({ kind: 'answers', answers } satisfies WireMessage);
      if (closing) port.close();
      else drain();
    }
  };
  port.on('message', (order: WireOrder) => {
    arrive(order);
    drain();
    work();
  });
}

function start(port: MessagePort, path: string): void {
  try {
    const db = openDatabase(path);
    const statements = prepareStatements(db);
    const groups = new GroupCommit(
      new ClaimTables(statements),
      (error) => storeError(error, path),
      new WriteHealth(path),
    );
    serve(port, db, { groups, ends: new EndClamp(statements) });
    port.postMessage({ kind: 'opened' } satisfies WireMessage);
  } catch (error) {
    const { code, message } = refusalOf(storeError(error, path));
    port.postMessage({ kind: 'refused', error: { code, message } } satisfies WireMessage);
    port.close();
  }
}

if (parentPort !== null) start(parentPort, (workerData as { path: string }).path);
