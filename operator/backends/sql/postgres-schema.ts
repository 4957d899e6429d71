import { IpamError } from '../../errors/ipam-error';
import { POSTGRES_OUTSIDE_DIFFERENCES } from './migrations/outside-differences';
import { POSTGRES_OUTSIDE_ROWS } from './migrations/outside-rows';
import { POSTGRES_BATCH_1 } from './migrations/postgres-001-batch';
import { POSTGRES_RANGES_1 } from './migrations/postgres-001-ranges';
import { POSTGRES_TABLES_1 } from './migrations/postgres-001-tables';
import { POSTGRES_VERBS_1 } from './migrations/postgres-001-verbs';
import { POSTGRES_REGISTRY_2 } from './migrations/postgres-002-registry';
import { POSTGRES_QUOTAS_3 } from './migrations/postgres-003-quotas';
import { POSTGRES_FREED } from './migrations/postgres-freed';
import type { PostgresConnections, PostgresQuery, PostgresRows } from './postgres-connections';

/**
 * The steps from an empty schema to today's; step n leads to version n + 1. Released steps are never edited, and each must
 * leave what the release before it calls, since both run during a rolling update.
 */
const POSTGRES_MIGRATIONS: readonly string[] = [
  [POSTGRES_TABLES_1, POSTGRES_RANGES_1, POSTGRES_VERBS_1, POSTGRES_BATCH_1].join('\n'),
  POSTGRES_OUTSIDE_ROWS,
  POSTGRES_REGISTRY_2,
  POSTGRES_QUOTAS_3,
  POSTGRES_OUTSIDE_DIFFERENCES,
  POSTGRES_FREED,
];

/** Below it, functions that the migrations use are missing. */
const OLDEST_SERVER = 130_000;
/** Of the advisory lock that two processes that migrate at once meet at: "IPAM" in ASCII. */
const LOCK = 0x4950414d;

/** Limits of a connection that migrates: it may wait for another process that does, and its steps may be long. */
export const MIGRATION_LIMITS = { statementTimeoutMs: 60_000, lockTimeoutMs: 60_000 } as const;

type Run = (query: PostgresQuery) => Promise<PostgresRows>;

const FIND_TABLES = `SELECT current_setting('server_version_num')::integer, current_setting('server_encoding'),
  to_regclass('ipam.setting') IS NOT NULL,
  EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'ipam')`;

// 0 for a database that has none of our tables.
async function versionOf(run: Run): Promise<number> {
  const [row] = await run({ text: FIND_TABLES });
  const [server, encoding, ours, others] = row as readonly [number, string, boolean, boolean];
  if (server < OLDEST_SERVER) {
    throw refused(`runs PostgreSQL ${Math.floor(server / 10_000)}; version 13 is the oldest that serves the store`);
  }
  if (encoding !== 'UTF8') throw refused(`has the encoding ${encoding}; create it with the encoding UTF8`);
  if (ours) {
    const [version] = await run({ text: "SELECT value FROM ipam.setting WHERE name = 'schemaVersion'" });
    if (version !== undefined) return Number(version[0]);
  }
  if (others) throw refused('has a schema "ipam" that belongs to another program; name a database of its own');
  return 0;
}

function refused(why: string): IpamError {
  return new IpamError('store/schema', `the database ${why}`);
}

function checkKnown(version: number, known: number): void {
  if (version <= known) return;
  throw refused(
    `has schema version ${version}, but this operator knows versions up to ${known}; run the newer operator or restore a backup`,
  );
}

async function migrateAlone(run: Run, migrations: readonly string[]): Promise<void> {
  // waits for another process that migrates, and then finds nothing to do
  await run({ text: `SELECT pg_advisory_xact_lock(${LOCK})` });
  const version = await versionOf(run);
  checkKnown(version, migrations.length);
  if (version === 0) {
    await run({ text: 'CREATE SCHEMA IF NOT EXISTS ipam' });
    await run({ text: 'CREATE TABLE ipam.setting (name text PRIMARY KEY, value text NOT NULL)' });
  }
  for (const step of migrations.slice(version)) await run({ text: step });
  const text = `INSERT INTO ipam.setting (name, value) VALUES ('schemaVersion', '${migrations.length}')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
  await run({ text });
}

/**
 * Brings the schema "ipam" to the newest version, in one transaction; safe in several processes at once.
 *
 * @param connections - to the database
 * @param migrations - all steps, oldest first
 * @throws {@link IpamError} `store/schema` when the schema is newer than this program or somebody else's, or the server is
 *   too old; a failure of the connections when something else is wrong, after which it can be tried again
 */
export async function migratePostgres(
  connections: PostgresConnections,
  migrations: readonly string[] = POSTGRES_MIGRATIONS,
): Promise<void> {
  await connections.use(async (run) => {
    const version = await versionOf(run);
    checkKnown(version, migrations.length);
    if (version === migrations.length) return;
    await run({ text: 'BEGIN' });
    await migrateAlone(run, migrations);
    await run({ text: 'COMMIT' });
  });
}
