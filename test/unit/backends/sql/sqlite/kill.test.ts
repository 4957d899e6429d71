import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../../../../operator/backends/sql/sqlite/sqlite-claim-store';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { halvesOf } from '../../../../support/claim-pairs';
import { KilledTakers } from '../../../../support/killed-takers';
import { bundle, WORKER_SOURCE } from '../../../../support/open-stores';

const ROUNDS = 6;
const CALLERS = 8;
/** Several groups of claims: each of them is a transaction of all callers. */
const MOST_ANSWERS = 100;
// a dozen processes and threads start in a test, and each transaction waits for the disk: seconds each on a busy machine
const LIMIT_MS = 300_000;

const takers = new KilledTakers();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'killed-store-'));
  bundle(folder, WORKER_SOURCE, 'test/support/claims-taker.ts');
}, LIMIT_MS);
afterEach(() => takers.end(), LIMIT_MS);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const optionsOf = (file: string) => {
  return { path: join(folder, file), clock: SYSTEM_CLOCK, workerFile: join(folder, 'sqlite-worker.js') };
};
const taker = (file: string, label: string) =>
  takers.start(join(folder, 'claims-taker.js'), optionsOf(file).path, label);

describe('sqlite store under SIGKILL', () => {
  test(
    'S5 W-07 keeps every answered claim exactly once and no half of a pair, whenever the process dies',
    async () => {
      // the next process repairs the file that the killed one left; what is lost or halved by a kill is so to the end
      const answered: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const count = 1 + Math.floor(Math.random() * MOST_ANSWERS);
        answered.push(...(await takers.answersUntilKill(taker('killed.sqlite', String(round)), count)));
      }
      const store = await openSqliteStore(optionsOf('killed.sqlite'));
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
      expect(stored.length - answered.length).toBeLessThanOrEqual(2 * CALLERS * ROUNDS);
    },
    LIMIT_MS,
  );

  test(
    'locks the file against a second process, quickly and by name, until it dies',
    async () => {
      const options = optionsOf('locked.sqlite');
      const child = taker('locked.sqlite', 'only');
      await once(child.stdout!, 'data');
      await expect(openSqliteStore(options)).rejects.toMatchObject({
        code: 'store/locked',
        message: `the store "${options.path}" is in use by another process, probably a second operator; stop that one first`,
      });
      await takers.end();
      const store = await openSqliteStore(options);
      expect((await store.tally())[0]!.held).toBeGreaterThan(0);
      await store.close();
    },
    LIMIT_MS,
  );
});
