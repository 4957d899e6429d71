import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf } from '../../../../../operator/addressing/address';
import { boundedTerms } from '../../../../../operator/contract/sharing-terms';
import { valueOf } from '../../../../../operator/errors/ipam-error';
import { openPostgresStore } from '../../../../../operator/backends/sql/postgres/postgres-claim-store';
import { PostgresConnections } from '../../../../../operator/backends/sql/postgres/postgres-connections';
import { POSTGRES_SCHEMA } from '../../../../../operator/backends/sql/postgres/postgres-schema';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { at, binding, holderOf, NOW, taken } from '../../../../support/claim-requests';
import { auditPostgres } from '../../../../support/postgres-audit';
import { stopPostgresClock } from '../../../../support/postgres-clock';
import { removeSharedPostgres, sharedPostgres, type PostgresServer } from '../../../../support/postgres-server';

const FIXTURES = join(__dirname, '../../../../fixtures/postgres-schemas');
/** Versions whose tables and functions stand in files. */
const VERSIONS = [1, 2, 3, 4, 5, 6, 7];
/** Later ones before today's, whose steps are those of today. */
const LATER = POSTGRES_SCHEMA.steps.map((_, index) => index + 1).slice(VERSIONS.length, -1);

let server: PostgresServer;

beforeAll(async () => {
  server = await sharedPostgres();
});
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

/** Dumps the schema, so that two can be compared; newer programs put a random word around their dump. */
function schemaOf(dsn: string): string {
  const dump = execFileSync('pg_dump', ['--dbname', dsn, '--schema', 'ipam', '--schema-only', '--no-owner']).toString();
  return dump.replace(/^\\(?:un)?restrict .*$/gmu, '');
}

interface OldResult {
  readonly created?: boolean;
  readonly rows: readonly (readonly unknown[])[];
}

/** A holder of Services as versions 1 and 2 wrote it; they knew no purpose. */
function holderCells(name: string, state = 'bound', expiresAtMs: number | null = null): readonly unknown[] {
  const key = state === 'reserved' ? `key of ${name}` : null;
  return [name, 'ns-uid', 'cluster', 'ns', `uid of ${name}`, state, key, 7, 1, null, '["a/b"]', expiresAtMs];
}

/** A replica of version 1, in what it asks the database for. */
class OldReplica {
  readonly #connections: PostgresConnections;
  readonly #writer = randomUUID();
  #batch = 0;

  constructor(dsn: string) {
    this.#connections = new PostgresConnections({ dsn }, 1);
  }

  take(name: string, holder: readonly unknown[] = holderCells(name)): Promise<OldResult> {
    const secret = ['hash', 'shared'];
    return this.ask({ verb: 'take', network: 'default', zone: 'z', family: 4, nowMs: NOW, space: 0, secret, holder });
  }

  async ask(request: object): Promise<OldResult> {
    const work = { networks: ['default'], spaces: [[['10.0.1.0', '10.0.1.255']]], requests: [request] };
    const values = [this.#writer, ++this.#batch, JSON.stringify(work)];
    const [row] = await this.#connections.query({ text: 'SELECT ipam.run_batch($1, $2, $3)', values });
    const [result] = (row?.[0] as { results: readonly OldResult[] }).results;
    return result!;
  }

  async peek(address: string): Promise<unknown> {
    const request = { verb: 'take', network: 'default', zone: 'z', family: 4, nowMs: NOW, address };
    const work = { spaces: [], requests: [{ ...request, holder: holderCells('peek') }] };
    const [row] = await this.#connections.query({ text: 'SELECT ipam.peek($1)', values: [JSON.stringify(work)] });
    return row?.[0];
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
      expect(await store!.list({ by: 'pool', network: 'default', pool: 'z' })).toHaveLength(answers.length + 1);
      await Promise.all([old.end(), ...stores.map((each) => each.close())]);
      expect(schemaOf(dsn)).toBe(fresh);
      expect(await auditPostgres(server, dsn)).toEqual([]);
    },
  );

  test.each(LATER)('%i becomes as a new one, and keeps what was written before', async (version) => {
    const dsn = await databaseOf(VERSIONS.length);
    const old = new OldReplica(dsn);
    await old.take('before');
    await old.end();
    const named = `UPDATE ipam.setting SET value = '${version}' WHERE name = 'schemaVersion';`;
    await server.sql([...POSTGRES_SCHEMA.steps.slice(VERSIONS.length, version), named].join(';\n'), dsn);
    const store = await openPostgresStore({ dsn, clock: SYSTEM_CLOCK });
    const [record] = await store.list({ by: 'pool', network: 'default', pool: 'z' });
    expect(record?.holders.map(({ owner }) => owner.name)).toEqual(['before']);
    await taken(store, 'new');
    await store.close();
    expect(schemaOf(dsn)).toBe(fresh);
    expect(await auditPostgres(server, dsn)).toEqual([]);
  });
});

describe('what a release before wrote', () => {
  const owner = { cluster: 'cluster', apiVersion: 'v1', kind: 'Service', namespace: 'ns', namespaceUid: 'ns-uid' };
  const options = { retentionPeriodDays: 7, denyExternalCleanup: true };

  test.each(VERSIONS)('is read as it was after version %i, and its replica reads what comes after', async (version) => {
    const dsn = await databaseOf(version);
    const old = new OldReplica(dsn);
    const [lease] = (await old.take('lease', holderCells('lease', 'reserved', NOW + 99))).rows;
    const [left] = (await old.take('left')).rows;
    const place = { network: 'default', address: '10.0.1.1', version: left![9], holderId: String(left![11]) };
    await old.ask({ verb: 'release', ...place, quarantineUntilMs: NOW + 9, nowMs: NOW });
    const store = await openPostgresStore({ dsn, clock: SYSTEM_CLOCK });
    await stopPostgresClock(server, dsn);
    const records = await store.list({ by: 'pool', network: 'default', pool: 'z' });
    expect(records).toEqual([
      {
        network: 'default',
        address: addressOf('10.0.1.0'),
        length: 32,
        pool: 'z',
        family: 4,
        state: 'held',
        secret: { hash: 'hash', scope: 'shared' },
        version: lease![9],
        takenAtMs: NOW,
        holders: [
          {
            id: String(lease![11]),
            sinceMs: NOW,
            state: 'reserved',
            key: 'key of lease',
            expiresAtMs: NOW + 99,
            owner: { ...owner, name: 'lease', uid: 'uid of lease' },
            options,
            writtenKeys: ['a/b'],
          },
        ],
      },
      expect.objectContaining({
        quarantine: {
          untilMs: NOW + 9,
          former: expect.objectContaining({ owner: { ...owner, name: 'left', uid: 'uid of left' } }) as unknown,
        },
      }),
    ]);
    expect(await store.history(at('10.0.1.1'), { limit: 9 })).toHaveLength(2);
    const after = (await old.take('after')).rows[0]!;
    expect([after.length, after[17], after[18], after[20], after[21], after[23]]).toEqual([
      ...[lease!.length < 27 ? 27 : lease!.length, 'uid of after', 'bound', 7, true, '["a/b"]'],
    ]);
    expect(await old.peek('10.0.1.0')).toMatchObject({ refused: 'held', holder: { serviceName: 'lease' } });
    expect(await old.peek('10.0.1.9')).toMatchObject({ address: '10.0.1.9' });
    await Promise.all([old.end(), store.close()]);
  });
});

test('FU-21 terms of version 7 are bounded: digests where they live, none where they ended', async () => {
  const sharing = {
    key: 'k'.repeat(120_000),
    ports: ['80/TCP'],
    trafficPolicy: 'Cluster',
    selector: 's'.repeat(9_000),
  };
  const dsn = await databaseOf(7);
  const old = new OldReplica(dsn);
  const cells = (name: string): readonly unknown[] => holderCells(name).with(9, JSON.stringify(sharing));
  await old.take('live', cells('live'));
  const [left] = (await old.take('left', cells('left'))).rows;
  const place = { network: 'default', address: '10.0.1.1', version: left![9], holderId: String(left![11]) };
  await old.ask({ verb: 'release', ...place, nowMs: NOW });
  await (await openPostgresStore({ dsn, clock: SYSTEM_CLOCK })).close();
  const rows = await server.sql('SELECT service_name, sharing FROM ipam.holder ORDER BY row_id', dsn);
  await old.end();
  const [live, gone] = rows;
  expect(JSON.parse(String(live!['sharing']))).toEqual(boundedTerms(sharing as Parameters<typeof boundedTerms>[0]));
  expect(gone).toEqual({ service_name: 'left', sharing: null });
});

describe('POSTGRES_SCHEMA', () => {
  test('replaces its functions in a new version only, so that an older replica never puts its own back', () => {
    const digest = createHash('sha256').update(POSTGRES_SCHEMA.functions.join('\n')).digest('hex').slice(0, 12);
    // another digest wants a step more in POSTGRES_SCHEMA, an empty one where the tables stay; then pin both here
    expect([POSTGRES_SCHEMA.steps.length, digest]).toEqual([13, 'c766ae83a8ef']);
  });

  test('has every function once, replaceable', () => {
    const made = POSTGRES_SCHEMA.functions.join('\n').match(/^CREATE .*FUNCTION ipam\.\w+/gmu) ?? [];
    expect(made.filter((line) => !line.startsWith('CREATE OR REPLACE FUNCTION '))).toEqual([]);
    expect(new Set(made).size).toBe(made.length);
    expect(POSTGRES_SCHEMA.steps.join('\n')).not.toMatch(/FUNCTION|TRIGGER/u);
  });
});
