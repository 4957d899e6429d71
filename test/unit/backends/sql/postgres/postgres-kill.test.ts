import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openPostgresStore } from '../../../../../operator/backends/sql/postgres/postgres-claim-store';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { addressText, spaceOf, taken } from '../../../../support/claim-requests';
import { halvesOf } from '../../../../support/claim-pairs';
import { bundle } from '../../../../support/open-stores';
import { auditPostgres } from '../../../../support/postgres-audit';
import { sharedPostgres, type PostgresServer } from '../../../../support/postgres-server';

const ROUNDS = 6;
const CALLERS = 8;
let folder: string;
let server: PostgresServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'killed-replica-'));
  bundle(folder, 'test/support/claims-taker.ts');
  server = await sharedPostgres();
}, 60_000);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Every answer that a process gives until it is killed in the middle of its work, after so many of them. */
async function answersUntilKill(dsn: string, round: number, count: number): Promise<readonly string[]> {
  const taker = join(folder, 'claims-taker.js');
  const child = spawn(process.execPath, [taker, dsn, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const answers: string[] = [];
  const dead = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    answers.push(line);
    if (answers.length === count) child.kill('SIGKILL');
  }
  expect(await dead).toEqual([null, 'SIGKILL']);
  return answers;
}

describe('postgres store under SIGKILL of a replica', () => {
  test('S5 W-07 keeps every answered claim of both replicas exactly once and no half of a pair, and the other one goes on', async () => {
    const dsn = await server.newDatabase();
    const store = await openPostgresStore({ dsn, clock: SYSTEM_CLOCK });
    const space = spaceOf('10.0.0.0/12');
    const answered: string[] = [];
    const stop = new AbortController();
    const survivor = (async () => {
      for (let i = 0; !stop.signal.aborted; i++) {
        const name = `survivor-${i}`;
        answered.push(`key of ${name} ${addressText(await taken(store, name, { space }))}`);
      }
    })();
    for (let round = 0; round < ROUNDS; round++) {
      answered.push(...(await answersUntilKill(dsn, round, 1 + Math.floor(Math.random() * 300))));
    }
    stop.abort();
    await survivor;
    const records = await store.list({ by: 'pool', network: 'default', pool: 'z' });
    await store.close();
    const stored = records.map((record) => `${record.holders[0]!.key!} ${addressText(record)}`);
    expect(stored).toEqual(expect.arrayContaining(answered));
    const unique = [0, 1].map((part) => new Set(stored.map((each) => each.split(/ (?=\S+$)/u)[part])).size);
    expect(unique).toEqual([stored.length, stored.length]);
    expect(halvesOf(records.filter(({ holders }) => !holders[0]!.key!.startsWith('key of')))).toEqual([]);
    // what was on its way may exist or not, one pair for each caller and kill; its answer may have been cut in two
    expect(stored.length - answered.length).toBeLessThanOrEqual(2 * CALLERS * ROUNDS);
    expect(await auditPostgres(server, dsn)).toEqual([]);
  }, 120_000);
});
