import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryClaimStore } from '../../operator/backends/memory/memory-claim-store';
import { openSqliteStore } from '../../operator/backends/sql/sqlite/sqlite-claim-store';
import { openPostgresStore } from '../../operator/backends/sql/postgres/postgres-claim-store';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import { ManualClock } from './manual-clock';
import { stoppedClock, stopPostgresClock } from './postgres-clock';
import { removeSharedPostgres, sharedPostgres, type PostgresServer } from './postgres-server';
import { storeClock } from './store-clock';
import type { OpenStore } from './store-under-test';

type SqliteStore = Awaited<ReturnType<typeof openSqliteStore>>;
type PostgresStore = Awaited<ReturnType<typeof openPostgresStore>>;

const ROOT = join(__dirname, '../..');

/**
 * Bundles sources as the image has them; bundles start several times faster than sources.
 *
 * @param folder - where to; the files keep their names
 * @param sources - paths from the root of the repository
 */
export function bundle(folder: string, ...sources: readonly string[]): void {
  const options = ['--bundle', '--platform=node', '--target=node24', '--format=cjs', `--outdir=${folder}`];
  for (const source of sources) {
    // the program, not its module: jest's globals of another realm break the latter
    execFileSync(join(ROOT, 'node_modules/.bin/esbuild'), [join(ROOT, source), ...options, '--log-level=error']);
  }
}

/** Source of the worker thread of the SQLite store. */
export const WORKER_SOURCE = 'operator/backends/sql/sqlite/sqlite-worker.ts';

/** A store in plain maps. */
export const openMemory: OpenStore<MemoryClaimStore> = () => {
  const clock = new ManualClock();
  const store = new MemoryClaimStore(clock);
  return Promise.resolve({ store, clock: storeClock(clock), dispose: () => store.close() });
};

let bundles: string | undefined;

/**
 * Bundles the worker once for all tests of a file, and removes it after them.
 *
 * @returns the file of the worker
 */
export function sharedWorkerFile(): string {
  if (bundles === undefined) {
    bundles = mkdtempSync(join(tmpdir(), 'sqlite-worker-'));
    bundle(bundles, WORKER_SOURCE);
  }
  return join(bundles, 'sqlite-worker.js');
}

afterAll(async () => {
  await removeSharedPostgres();
  if (bundles !== undefined) rmSync(bundles, { recursive: true });
});

/** A store in a new file. */
export const openSqlite: OpenStore<SqliteStore> = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'claim-store-'));
  const clock = new ManualClock();
  const options = { path: join(folder, 'ipam.sqlite'), clock, workerFile: sharedWorkerFile() };
  let opening = openSqliteStore(options);
  let over = false;
  return {
    store: await opening,
    clock: storeClock(clock),
    path: options.path,
    reopen: () => {
      if (over) throw new TypeError('the test is over');
      opening = opening.then(async (store) => {
        await store.close();
        return openSqliteStore(options);
      });
      return opening;
    },
    dispose: async () => {
      over = true;
      await (await opening).close();
      rmSync(folder, { recursive: true });
    },
  };
};

let pattern: Promise<string> | undefined;

/** A database with the tables of today and a clock that stands still: a copy takes a third of the time of the steps to them. */
async function patternDatabase(server: PostgresServer): Promise<string> {
  const dsn = await server.newDatabase();
  const store = await openPostgresStore({ dsn, clock: SYSTEM_CLOCK });
  await store.close();
  await stopPostgresClock(server, dsn);
  return dsn;
}

/** A store in a new database, whose clock stands still. */
export const openPostgres: OpenStore<PostgresStore> = async () => {
  const server = await sharedPostgres();
  pattern ??= patternDatabase(server);
  const options = { dsn: await server.copyOf(await pattern), clock: SYSTEM_CLOCK };
  let opening = openPostgresStore(options);
  const store = await opening;
  return {
    store,
    clock: stoppedClock(server, options.dsn),
    reopen: () => {
      opening = opening.then(async (open) => {
        await open.close();
        return openPostgresStore(options);
      });
      return opening;
    },
    dispose: async () => {
      await (await opening).close();
    },
  };
};
