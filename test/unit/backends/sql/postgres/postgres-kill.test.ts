import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from '../../../../../operator/backends/sql/postgres/postgres-claim-store';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { addressText, spaceOf, taken } from '../../../../support/claim-requests';
import { halvesOf } from '../../../../support/claim-pairs';
import { KilledTakers } from '../../../../support/killed-takers';
import { bundle } from '../../../../support/open-stores';
import { auditPostgres } from '../../../../support/postgres-audit';
import { sharedPostgres, type PostgresServer } from '../../../../support/postgres-server';

const ROUNDS = 6;
const CALLERS = 8;
const MOST_ANSWERS = 100;
// processes start in it, and each transaction waits for the disk: seconds each on a busy machine
const LIMIT_MS = 300_000;

const takers = new KilledTakers();
let folder: string;
let server: PostgresServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'killed-replica-'));
  bundle(folder, 'test/support/claims-taker.ts');
  server = await sharedPostgres();
}, LIMIT_MS);
afterEach(() => takers.end(), LIMIT_MS);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('postgres store under SIGKILL of a replica', () => {
  test(
    'S5 W-07 keeps every answered claim of both replicas exactly once and no half of a pair, and the other one goes on',
    async () => {
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
      try {
        for (let round = 0; round < ROUNDS; round++) {
          const child = takers.start(join(folder, 'claims-taker.js'), dsn, String(round));
          answered.push(...(await takers.answersUntilKill(child, 1 + Math.floor(Math.random() * MOST_ANSWERS))));
        }
      } finally {
        stop.abort();
        await survivor;
      }
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
    },
    LIMIT_MS,
  );
});
