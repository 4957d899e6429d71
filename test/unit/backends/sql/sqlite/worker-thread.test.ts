import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../../../../operator/backends/sql/sqlite/sqlite-claim-store';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { addressText, at, taken, taking } from '../../../../support/claim-requests';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'worker-thread-'));
  path = join(folder, 'ipam.sqlite');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A worker that opens well and then does what `onRequests` says. */
function worker(onRequests: string): string {
  const file = join(folder, 'worker.js');
  const opened = "const { parentPort } = require('node:worker_threads'); parentPort.postMessage({ kind: 'opened' });";
  writeFileSync(file, `${opened} parentPort.on('message', ({ requests }) => { ${onRequests} });`);
  return file;
}

describe('worker thread of the sqlite store', () => {
  test('runs from the sources where there is no compiled worker', async () => {
    const store = await openSqliteStore({ path, clock: SYSTEM_CLOCK });
    expect(addressText(await taken(store, 'a'))).toBe('10.0.0.0');
    await store.close();
  });

  test.each([
    ['ends', 'process.exit(1)'],
    ['throws', "throw new TypeError('a fault')"],
  ])('fails everything that waits and everything later when it %s', async (_how, fault) => {
    const store = await openSqliteStore({ path, clock: SYSTEM_CLOCK, workerFile: worker(fault) });
    const waiting = [store.take(taking('a')), store.tally(), store.get(at('10.0.0.0'))];
    const failed = {
      code: 'store/unavailable',
      message: expect.stringContaining(`the store "${path}" is gone`) as string,
    };
    for (const each of await Promise.allSettled(waiting))
      expect(each).toMatchObject({ status: 'rejected', reason: failed });
    await expect(store.take(taking('b'))).rejects.toMatchObject(failed);
    await expect(store.close()).resolves.toBeUndefined();
    await expect(store.tally()).rejects.toMatchObject({ code: 'store/closed' });
  });

  test('answers what it can before it dies, and fails the rest', async () => {
    const answers = '[{ ok: true, result: [], changes: [] }]';
    const file = worker(
      `if (requests.length > 1) parentPort.postMessage({ kind: 'answers', answers: ${answers} }); process.exitCode = 1; parentPort.close();`,
    );
    const store = await openSqliteStore({ path, clock: SYSTEM_CLOCK, workerFile: file });
    const [first, second] = await Promise.allSettled([store.tally(), store.tally()]);
    expect(first).toEqual({ status: 'fulfilled', value: [] });
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'store/unavailable' } });
  });

  test('does not open when the worker dies at once', async () => {
    const file = join(folder, 'worker.js');
    writeFileSync(file, 'process.exit(1)');
    await expect(openSqliteStore({ path, clock: SYSTEM_CLOCK, workerFile: file })).rejects.toMatchObject({
      code: 'store/unavailable',
    });
  });

  test('does not open where the worker file is missing', async () => {
    const workerFile = join(folder, 'nowhere.js');
    await expect(openSqliteStore({ path, clock: SYSTEM_CLOCK, workerFile })).rejects.toMatchObject({
      code: 'store/unavailable',
    });
  });
});
