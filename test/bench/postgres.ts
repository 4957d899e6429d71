/**
 * S4: two replicas of the PostgreSQL store against the same work under the two usual locks, and against the number of rows.
 * S5: nothing twice, nothing lost, nothing leaked under that load, nor while the server's processes are killed. It waits for the disk.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { openPostgresStore } from '../../operator/backends/sql/postgres/postgres-claim-store';
import { batchText, type BatchAnswer } from '../../operator/backends/sql/postgres/postgres-wire';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import type { TakeRequest } from '../../operator/ports/claims';
import type { OwnStore } from '../../operator/ports/store';
import { addressText, leaseOf, spaceOf, takenOf, taking } from '../support/claim-requests';
import { auditPostgres } from '../support/postgres-audit';
import { PostgresServer } from '../support/postgres-server';
import type { BenchResult, BenchSize } from './result';

const CALLERS = 16;
/** Growth of part 5: four times as many callers may not take less in all. */
const MANY_CALLERS = 64;
/** Between two kills of a connection of the product. */
const KILL_MS = 100;
const REPLICAS = 2;
const SIZES = {
  full: { few: 100_000, many: 1_000_000, each: 100, rounds: 5 },
  quick: { few: 10_000, many: 100_000, each: 25, rounds: 5 },
  tiny: { few: 50, many: 500, each: 1, rounds: 1 },
} as const;
const SPACE = spaceOf('10.0.0.0/8');

/** The same work one by one, under a lock that all callers meet at: the row of a counter, or an advisory lock. */
const RIVALS = `
CREATE SCHEMA rival;
CREATE TABLE rival.pool (id integer PRIMARY KEY, next bigint NOT NULL) WITH (fillfactor = 10);
INSERT INTO rival.pool VALUES (1, 0);
CREATE FUNCTION rival.hot_row(uuid, bigint, jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$ BEGIN
  UPDATE rival.pool SET next = next + 1 WHERE id = 1; RETURN ipam.run_writes($1, $2, $3); END $$;
CREATE FUNCTION rival.advisory(uuid, bigint, jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(1); RETURN ipam.run_writes($1, $2, $3); END $$`;

const requestOf = (name: string): TakeRequest =>
  taking('', {
    space: SPACE,
    secret: { hash: 'k1:aa', scope: 'shared' },
    holder: leaseOf(name, 300_000, { key: name }),
  });

/** Claims as if they had been taken one after the other, with what is free after them. */
const seedText = (rows: number): string => `
INSERT INTO ipam.network (name) VALUES ('default');
WITH a AS (INSERT INTO ipam.address (network, address, family, zone, secret_hash, secret_scope, state, version, taken_at)
  SELECT 'default', '10.0.0.0'::inet + n, 4, 'z', 'k1:aa', 'shared', 'held', n + 1, 1 FROM generate_series(0, ${rows - 1}) n
  RETURNING id, version)
INSERT INTO ipam.holder (id, address_id, since, service_name, namespace_uid, cluster_uid, namespace, service_uid, state, key,
  retention_days, deny_external_cleanup, written_keys)
  SELECT version, id, 1, 'seed-' || id, 'ns-' || id % 100, 'c1', 'a', 'uid-' || id, 'bound', 'seed-' || id, 0, false, '[]' FROM a;
INSERT INTO ipam.free_range (network, first, last) VALUES ('default', '0.0.0.0', '9.255.255.255'),
  ('default', '10.0.0.0'::inet + ${rows}, '255.255.255.255'), ('default', '::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff');
SELECT setval('ipam.revision', ${rows + 1});
ANALYZE`;

type Call = (caller: number, name: string) => Promise<string>;

/** One way to take addresses, with all that it ever gave. */
interface Variant {
  readonly call: Call;
  readonly given: string[];
  readonly rates: number[];
}

async function measure({ call, given, rates }: Variant, label: string, each: number): Promise<void> {
  rates.push(await take({ call, given }, { label, each, callers: CALLERS }));
}

/** Takes addresses and returns how many a second. */
async function take(
  { call, given }: Pick<Variant, 'call' | 'given'>,
  { label, each, callers }: { readonly label: string; readonly each: number; readonly callers: number },
): Promise<number> {
  const start = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let index = 0; index < each; index++) given.push(await call(caller, `${label}-${caller}-${index}`));
    }),
  );
  return (callers * each * 1000) / (performance.now() - start);
}

const KILL = `SELECT count(pg_terminate_backend(pid))::integer AS n FROM (SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
  ORDER BY random() LIMIT 1) victim`;

/** Takes addresses while the server's processes behind the replicas are killed, whatever they were doing; returns how many were. */
async function takeThroughKills(
  server: PostgresServer,
  variant: Variant & { readonly dsn: string },
  each: number,
): Promise<number> {
  let [kills, done] = [0, false];
  const killer = async (): Promise<void> => {
    while (!done) {
      const [row] = await server.sql(KILL, variant.dsn);
      kills += row!['n'] as number;
      await new Promise((resolve) => setTimeout(resolve, KILL_MS));
    }
  };
  const killing = killer();
  await take(variant, { label: 'killed', each, callers: CALLERS });
  done = true;
  await killing;
  return kills;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

class World {
  readonly server: PostgresServer;
  readonly #ends: (() => Promise<unknown>)[] = [];

  constructor(server: PostgresServer) {
    this.server = server;
  }

  async product(rows: number): Promise<Variant & { readonly dsn: string }> {
    const dsn = await this.server.newDatabase();
    const open = (): Promise<OwnStore> => openPostgresStore({ dsn, clock: SYSTEM_CLOCK, statementTimeoutMs: 60_000 });
    const stores = [await open()];
    await this.server.sql(seedText(rows), dsn);
    while (stores.length < REPLICAS) stores.push(await open());
    this.#ends.push(...stores.map((store) => () => store.close()));
    const call: Call = async (caller, name) => {
      return addressText((await takenOf(stores[caller % REPLICAS]!, requestOf(name))).record);
    };
    return { dsn, call, given: [], rates: [] };
  }

  async rival(name: 'hot_row' | 'advisory', rows: number): Promise<Variant> {
    const { dsn } = await this.product(rows);
    await this.server.sql(RIVALS, dsn);
    const pool = new pg.Pool({ connectionString: dsn, max: CALLERS, options: '-c jit=off' });
    this.#ends.push(() => pool.end());
    const writers = Array.from({ length: CALLERS }, () => ({ id: randomUUID(), batch: 0 }));
    const text = `SELECT rival.${name}($1, $2, $3) AS answer`;
    const call: Call = async (caller, who) => {
      const writer = writers[caller]!;
      const values = [writer.id, ++writer.batch, batchText([{ verb: 'take', request: requestOf(who) }])];
      const { rows: answers } = await pool.query<{ answer: BatchAnswer }>({ name, text, values });
      return JSON.stringify(answers[0]!.answer.results[0]);
    };
    return { call, given: [], rates: [] };
  }

  async end(): Promise<void> {
    await Promise.all(this.#ends.map((end) => end()));
    await this.server.remove();
  }
}

function verdict(result: Omit<BenchResult, 'verdict'>): BenchResult {
  const passed = result.better === 'lower' ? result.measured <= result.gate : result.measured >= result.gate;
  return { ...result, verdict: passed ? 'pass' : 'fail' };
}

function ratio(above: Variant, below: Variant): number {
  return median(above.rates.map((rate, round) => rate / (below.rates[round] ?? rate)));
}

async function faults(server: PostgresServer, { dsn, given }: Variant & { readonly dsn: string }): Promise<number> {
  const [row] = await server.sql(
    'SELECT count(*)::integer AS n FROM ipam.address WHERE version > 0 AND taken_at > 1',
    dsn,
  );
  const lost = given.length - (row!['n'] as number);
  return Math.abs(lost) + given.length - new Set(given).size + (await auditPostgres(server, dsn)).length;
}

/** Whether four times as many callers take as many in all; rounds of both sizes take turns. */
async function inCrowd(variant: Variant, each: number): Promise<BenchResult> {
  const rounds: number[] = [];
  for (let round = 0; round < 3; round++) {
    const few = await take(variant, { label: `few${round}`, each, callers: CALLERS });
    rounds.push((await take(variant, { label: `many${round}`, each, callers: MANY_CALLERS })) / few);
  }
  const id = `S4 PostgreSQL, rate of ${MANY_CALLERS} callers against ${CALLERS}`;
  return verdict({ id, measured: median(rounds), gate: 0.8, better: 'higher', note: 'two replicas' });
}

/** S4 and S5. */
export async function bench(size: BenchSize): Promise<BenchResult[]> {
  const { few, many, each, rounds } = SIZES[size];
  const settings = { fsync: 'on', full_page_writes: 'on', shared_buffers: '256MB', max_wal_size: '4GB' };
  const world = new World(await PostgresServer.start({ settings }));
  try {
    const [small, large] = [await world.product(few), await world.product(many)];
    const rivals = {
      'hot row': await world.rival('hot_row', few),
      'advisory lock': await world.rival('advisory', few),
    };
    const variants: readonly Variant[] = [small, large, ...Object.values(rivals)];
    for (const variant of variants) await measure(variant, 'warm', each);
    for (const variant of variants) variant.rates.length = 0;
    for (let round = 0; round < rounds; round++) {
      for (const variant of variants) await measure(variant, `r${round}`, each);
    }
    const crowd = await inCrowd(small, each);
    const kills = await takeThroughKills(world.server, small, 4 * each);
    const figure = (variant: Variant): string => median(variant.rates).toFixed(0);
    const against = Object.entries(rivals).map(([name, rival]) =>
      verdict({
        id: `S4 PostgreSQL, two replicas against ${name}`,
        measured: ratio(small, rival),
        gate: 2,
        better: 'higher',
        note: `${figure(small)} against ${figure(rival)} a second, ${CALLERS} callers`,
      }),
    );
    const growth = verdict({
      id: 'S4 PostgreSQL, rate at 10 times the rows',
      measured: ratio(large, small),
      gate: 0.8,
      better: 'higher',
      note: `${figure(large)} at ${many}, ${figure(small)} at ${few} rows`,
    });
    const wrong = (await faults(world.server, small)) + (await faults(world.server, large));
    const note = `of ${small.given.length + large.given.length}, by two replicas, ${kills} of their connections killed`;
    const sound = verdict({
      id: 'S5 PostgreSQL, addresses lost, doubled or leaked',
      measured: wrong,
      gate: 0,
      better: 'lower',
      note,
    });
    return [...against, growth, crowd, sound];
  } finally {
    await world.end();
  }
}
