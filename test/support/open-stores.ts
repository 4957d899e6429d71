import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryClaimStore } from '../../operator/backends/memory/memory-claim-store';
import { openSqliteStore } from '../../operator/backends/sql/sqlite-claim-store';
import type { OpenStore } from './claim-store-suite';

const ROOT = join(__dirname, '../..');

/**
 * Bundles the worker of the SQLite store as the image has it; it starts several times faster than the sources.
 *
 * @param folder - where to
 * @returns the file
 */
export function bundleWorker(folder: string): string {
  const file = join(folder, 'sqlite-worker.js');
  const source = join(ROOT, 'operator/backends/sql/sqlite-worker.ts');
  // the program, not its module: jest's globals of another realm break the latter
  const options = ['--bundle', '--platform=node', '--target=node24', '--format=cjs', `--outfile=${file}`];
  execFileSync(join(ROOT, 'node_modules/.bin/esbuild'), [source, ...options, '--log-level=error']);
  return file;
}

/** A store in plain maps. */
export const openMemory: OpenStore = () => {
  const store = new MemoryClaimStore();
  return Promise.resolve({ store, dispose: () => store.close() });
};

let bundle: string | undefined;
let workerFile: string | undefined;

/**
 * Bundles the worker once for all tests of a file, and removes it after them.
 *
 * @returns the file of the worker
 */
export function sharedWorkerFile(): string {
  bundle ??= mkdtempSync(join(tmpdir(), 'sqlite-worker-'));
  workerFile ??= bundleWorker(bundle);
  return workerFile;
}

afterAll(() => {
  if (bundle !== undefined) rmSync(bundle, { recursive: true });
});

/** A store in a new file. */
export const openSqlite: OpenStore = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'claim-store-'));
  const options = { path: join(folder, 'ipam.sqlite'), workerFile: sharedWorkerFile() };
  let opening = openSqliteStore(options);
  let over = false;
  return {
    store: await opening,
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
