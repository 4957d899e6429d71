import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openSqliteStore } from '../../../../../operator/backends/sql/sqlite/sqlite-claim-store';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { halvesOf } from '../../../../support/claim-pairs';
import { bundle, WORKER_SOURCE } from '../../../../support/open-stores';

const ROUNDS = 10;
const CALLERS = 8;
let folder: string;
let path: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'killed-store-'));
  path = join(folder, 'ipam.sqlite');
  bundle(folder, WORKER_SOURCE, 'test/support/claims-taker.ts');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function startTaker(round: number): ChildProcess {
  const taker = join(folder, 'claims-taker.js');
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', taker, path, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Every answer that a process gives until it is killed in the middle of its work, after so many of them. */
async function answersUntilKill(child: ChildProcess, count: number): Promise<readonly string[]> {
  const answers: string[] = [];
  // the lock outlives the pipe by a moment
  const dead = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout! })) {
    answers.push(line);
    if (answers.length === count) child.kill('SIGKILL');
  }
  expect(await dead).toEqual([null, 'SIGKILL']);
  return answers;
}

describe('sqlite store under SIGKILL', () => {
  test('S5 W-07 keeps every answered claim exactly once and no half of a pair, whenever the process dies', async () => {
    const answered: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const count = 1 + Math.floor(Math.random() * 300);
      answered.push(...(await answersUntilKill(startTaker(round), count)));
      const store = await openSqliteStore({ path, clock: SYSTEM_CLOCK, workerFile: join(folder, 'sqlite-worker.js') });
      const records = await store.list({ by: 'pool', network: 'default', pool: 'z' });
      await store.close();
      const stored = records.map(({ address, holders }) => `${holders[0]!.key!} ${address.toString()}`);
      expect(stored).toEqual(expect.arrayContaining(answered));
      expect(records.every(({ holders }) => holders.length === 1)).toBe(true);
      const unique = [
        new Set(records.map(({ holders }) => holders[0]!.key)),
        new Set(records.map(({ address }) => address.toString())),
      ];
      expect(unique.map(({ size }) => size)).toEqual([stored.length, stored.length]);
      expect(halvesOf(records)).toEqual([]);
      // what was on its way may exist or not, one pair for each caller and kill; its answer may have been cut in two
      expect(stored.length - answered.length).toBeLessThanOrEqual(2 * CALLERS * (round + 1));
    }
  }, 60_000);

  // two processes and a worker start in it, which takes seconds on a busy machine
  test('locks the file against a second process, quickly and by name, until it dies', async () => {
    const child = startTaker(99);
    const dead = once(child, 'exit');
    const options = { path, clock: SYSTEM_CLOCK, workerFile: join(folder, 'sqlite-worker.js') };
    try {
      await once(child.stdout!, 'data');
      await expect(openSqliteStore(options)).rejects.toMatchObject({
        code: 'store/locked',
        message: `the store "${path}" is in use by another process, probably a second operator; stop that one first`,
      });
    } finally {
      child.kill('SIGKILL');
      await dead;
    }
    const store = await openSqliteStore(options);
    expect((await store.tally())[0]!.held).toBeGreaterThan(0);
    await store.close();
  }, 60_000);
});
