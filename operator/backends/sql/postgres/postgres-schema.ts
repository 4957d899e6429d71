import { IpamError } from '../../../errors/ipam-error';
import { BATCH_FUNCTIONS } from './functions/batch';
import { EXCHANGE_FUNCTIONS } from './functions/exchange';
import { FIRST_TAKE_FUNCTIONS } from './functions/first-takes';
import { FREE_BLOCK_FUNCTIONS } from './functions/free-blocks';
import { FREE_RANGE_FUNCTIONS } from './functions/free-ranges';
import { FREED_FUNCTIONS } from './functions/freed';
import { LIMIT_FUNCTIONS } from './functions/limits';
import { OCCUPIED_FUNCTIONS } from './functions/occupied';
import { OLDER_REPLICA_FUNCTIONS } from './functions/older-replicas';
import { RECORD_FUNCTIONS } from './functions/records';
import { REGISTRY_FUNCTIONS } from './functions/registry';
import { RENAME_FUNCTIONS } from './functions/renames';
import { TAKE_FUNCTIONS } from './functions/takes';
import { VERB_FUNCTIONS } from './functions/verbs';
import { WISH_FUNCTIONS } from './functions/wishes';
import { POSTGRES_OUTSIDE_DIFFERENCES } from '../shared/migrations/outside-differences';
import { POSTGRES_OUTSIDE_ROWS } from '../shared/migrations/outside-rows';
import { POSTGRES_CLAIMS_1 } from './migrations/001-claims';
import { POSTGRES_REGISTRY_3 } from './migrations/003-registry';
import { POSTGRES_FREED_6 } from './migrations/006-freed';
import { POSTGRES_EVERY_DOOR_7 } from './migrations/007-every-door';
import { POSTGRES_OCCUPIED_8 } from './migrations/008-occupied';
import { POSTGRES_BOUNDED_9 } from './migrations/009-bounded';
import type { PostgresConnections, PostgresQuery, PostgresRows } from './postgres-connections';

/** Tables and functions of the schema "ipam". */
export interface PostgresSchema {
  /**
   * Run before steps that change tables in use: waits for what reads and writes, and keeps others out until the end. In the order
   * in which batches and readers come to the tables, so that they never wait for each other.
   */
  readonly pause: string;
  /** From nothing to today's tables, types and sequences; step n leads to version n. Released steps are never edited. */
  readonly steps: readonly string[];
  /**
   * Every function in its present form, made or replaced behind the last step. A change of one comes with another step, an empty one
   * where the tables stay, since only a new version replaces functions: a replica of the release before, that runs or starts
   * again during a rolling update, must not put its own back. It goes on with the new ones, so what it calls keeps its
   * parameters and its meaning; another meaning gets another name.
   */
  readonly functions: readonly string[];
}

/** Today's. */
export const POSTGRES_SCHEMA: PostgresSchema = {
  pause: 'LOCK TABLE ipam.writer, ipam.address, ipam.holder IN ACCESS EXCLUSIVE MODE',
  steps: [
    POSTGRES_CLAIMS_1,
    POSTGRES_OUTSIDE_ROWS,
    POSTGRES_REGISTRY_3,
    '-- functions only: limits of clusters and namespaces',
    POSTGRES_OUTSIDE_DIFFERENCES,
    POSTGRES_FREED_6,
    POSTGRES_EVERY_DOOR_7,
    POSTGRES_OCCUPIED_8,
    POSTGRES_BOUNDED_9,
    '-- functions only: renames of what clusters show',
    '-- functions only: first takes',
    '-- functions only: writes under a name that a cluster had before',
    '-- functions only: the verb of a write tells whose name it is under',
  ],
  functions: [
    FREE_RANGE_FUNCTIONS,
    RECORD_FUNCTIONS,
    OCCUPIED_FUNCTIONS,
    FREE_BLOCK_FUNCTIONS,
    LIMIT_FUNCTIONS,
    WISH_FUNCTIONS,
    TAKE_FUNCTIONS,
    FIRST_TAKE_FUNCTIONS,
    VERB_FUNCTIONS,
    EXCHANGE_FUNCTIONS,
    BATCH_FUNCTIONS,
    REGISTRY_FUNCTIONS,
    RENAME_FUNCTIONS,
    OLDER_REPLICA_FUNCTIONS,
    FREED_FUNCTIONS,
  ],
};

/** Below it, functions that the migrations use are missing. */
const OLDEST_SERVER = 130_000;
/** Of the advisory lock that two processes that migrate at once meet at: "IPAM" in ASCII. */
const LOCK = 0x4950414d;

const LIMIT_MS = 60_000;
/**
 * Begins a transaction that may wait for another process that migrates, and whose steps may be long. For this transaction alone: limits
 * of the session are the same for every connection, since a pooler knows one set of them.
 */
export const BEGIN_LONG = `BEGIN; SET LOCAL statement_timeout = ${String(LIMIT_MS)}; SET LOCAL lock_timeout = ${String(LIMIT_MS)}`;

/** Options of a connection that migrates. */
export const MIGRATION_OPTIONS = { answerTimeoutMs: LIMIT_MS + 500 } as const;

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

async function migrateAlone(run: Run, { pause, steps, functions }: PostgresSchema): Promise<void> {
  // waits for another process that migrates, and then finds nothing to do
  await run({ text: `SELECT pg_advisory_xact_lock(${LOCK})` });
  const version = await versionOf(run);
  checkKnown(version, steps.length);
  if (version === steps.length) return;
  if (version === 0) {
    await run({ text: 'CREATE SCHEMA IF NOT EXISTS ipam' });
    await run({ text: 'CREATE TABLE ipam.setting (name text PRIMARY KEY, value text NOT NULL)' });
  } else {
    await run({ text: pause });
  }
  for (const text of [...steps.slice(version), ...functions]) await run({ text });
  const text = `INSERT INTO ipam.setting (name, value) VALUES ('schemaVersion', '${steps.length}')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
  await run({ text });
}

/**
 * Brings the schema "ipam" to the newest version, in one transaction; safe in several processes at once.
 *
 * @param connections - to the database
 * @param schema - all steps, oldest first, and the functions
 * @throws {@link IpamError} `store/schema` when the schema is newer than this program or that of another program, or the server is
 *   too old; a failure of the connections when something else is wrong, after which it can be tried again
 */
export async function migratePostgres(
  connections: PostgresConnections,
  schema: PostgresSchema = POSTGRES_SCHEMA,
): Promise<void> {
  await connections.use(async (run) => {
    const version = await versionOf(run);
    checkKnown(version, schema.steps.length);
    if (version === schema.steps.length) return;
    await run({ text: BEGIN_LONG });
    await migrateAlone(run, schema);
    await run({ text: 'COMMIT' });
  });
}
