import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { valueOf } from '../../../../../operator/errors/ipam-error';
import { openPostgresStore } from '../../../../../operator/backends/sql/postgres/postgres-claim-store';
import { PostgresConnections } from '../../../../../operator/backends/sql/postgres/postgres-connections';
import { POSTGRES_SCHEMA } from '../../../../../operator/backends/sql/postgres/postgres-schema';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { binding, holderOf, NOW, taken } from '../../../../support/claim-requests';
import { auditPostgres } from '../../../../support/postgres-audit';
import { removeSharedPostgres, sharedPostgres, type PostgresServer } from '../../../../support/postgres-server';

const FIXTURES = join(__dirname, '../../../../fixtures/postgres-schemas');
const VERSIONS = [1, 2, 3, 4, 5, 6];

let server: PostgresServer;

beforeAll(async () => {
  server = await sharedPostgres();
}, 60_000);
afterAll(removeSharedPostgres);

/** A database as the program of a version left it. */
async function databaseOf(version: number): Promise<string> {
  const dsn = await server.newDatabase();
  const steps = VERSIONS.slice(0, version).map((n) => readFileSync(join(FIXTURES, `version-${n}.sql`), 'utf8'));
  const setting = `CREATE SCHEMA ipam; CREATE TABLE ipam.setting (name text PRIMARY KEY, value text NOT NULL);`;
  const named = `INSERT INTO ipam.setting VALUES ('schemaVersion', '${version}');`;
  await server.sql([setting, ...steps, named].join('\n'), dsn);
  return dsn;
}

/** What makes two schemas the same one; newer programs put a random word around their dump. */
function schemaOf(dsn: string): string {
  const dump = execFileSync('pg_dump', ['--dbname', dsn, '--schema', 'ipam', '--schema-only', '--no-owner']).toString();
  return dump.replace(/^\\(?:un)?restrict .*$/gmu, '');
}

/** A replica of version 1, in what it asks the database for. */
class OldReplica {
  readonly #connections: PostgresConnections;
  readonly #writer = randomUUID();
  #batch = 0;

  constructor(dsn: string) {
    this.#connections = new PostgresConnections({ dsn }, 1);
  }

  async take(name: string): Promise<unknown> {
    const holder = [name, 'ns-uid', 'cluster', 'ns', null, 'bound', null, 0, 0, null, '[]', null];
    const secret = ['hash', 'shared'];
    const request = { verb: 'take', network: 'default', zone: 'z', family: 4, nowMs: NOW, space: 0, secret, holder };
    const work = { networks: ['default'], spaces: [[['10.0.1.0', '10.0.1.255']]], requests: [request] };
    const values = [this.#writer, ++this.#batch, JSON.stringify(work)];
    const [row] = await this.#connections.query({ text: 'SELECT ipam.run_batch($1, $2, $3)', values });
    return (row?.[0] as { results: readonly unknown[] }).results[0];
  }

  end(): Promise<void> {
    return this.#connections.end();
  }
}

describe('a database of version', () => {
  let fresh: string;
  beforeAll(async () => {
    const dsn = await server.newDatabase();
    await (await openPostgresStore({ dsn, clock: SYSTEM_CLOCK })).close();
    fresh = schemaOf(dsn);
  });

  test.each(VERSIONS)(
    '%i becomes as a new one, by two starts at once, beside a replica that goes on',
    async (version) => {
      const dsn = await databaseOf(version);
      const old = new OldReplica(dsn);
      const answers = [await old.take('before')];
      const during = (async () => {
        for (let i = 0; i < 10; i++) answers.push(await old.take(`during-${i}`));
      })();
      const stores = await Promise.all([1, 2].map(() => openPostgresStore({ dsn, clock: SYSTEM_CLOCK })));
      await during;
      answers.push(await old.take('after'));
      expect(answers).toEqual(answers.map(() => expect.objectContaining({ created: true }) as unknown));
      const [store] = stores;
      const record = await taken(store!, 'new');
      valueOf(await store!.bind(binding(record, holderOf('beside'))));
      expect(await store!.list({ by: 'zone', network: 'default', zone: 'z' }, NOW)).toHaveLength(answers.length + 1);
      await Promise.all([old.end(), ...stores.map((each) => each.close())]);
      expect(schemaOf(dsn)).toBe(fresh);
      expect(await auditPostgres(server, dsn)).toEqual([]);
    },
  );
});

describe('POSTGRES_SCHEMA', () => {
  test('replaces its functions in a new version only, so that an older replica never puts its own back', () => {
    const digest = createHash('sha256').update(POSTGRES_SCHEMA.functions.join('\n')).digest('hex').slice(0, 12);
    // another digest wants a step more in POSTGRES_SCHEMA, an empty one where the tables stay; then pin both here
    expect([POSTGRES_SCHEMA.steps.length, digest]).toEqual([6, '36ce55a954e2']);
  });

  test('has every function once, replaceable', () => {
    const made = POSTGRES_SCHEMA.functions.join('\n').match(/^CREATE .*FUNCTION ipam\.\w+/gmu) ?? [];
    expect(made.filter((line) => !line.startsWith('CREATE OR REPLACE FUNCTION '))).toEqual([]);
    expect(new Set(made).size).toBe(made.length);
    expect(POSTGRES_SCHEMA.steps.join('\n')).not.toMatch(/FUNCTION|TRIGGER/u);
  });
});
