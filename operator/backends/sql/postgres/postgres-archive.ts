import { refuseRenamed, renamedNote } from '../../../contract/renamed-note';
import { addressOf, type Address } from '../../../addressing/address';
import { Prefix } from '../../../addressing/prefix';
import { accept, type Outcome } from '../../../errors/outcome';
import type { PoolSpace, PoolTally, PoolUsage, RecordFilter, RecordPage } from '../../../ports/claim-counts';
import type { FormerHolder, PastClaim, PruneRequest } from '../../../ports/claim-history';
import type { AddressRecord, Place, TakeRequest } from '../../../ports/claims';
import type { ClusterRename } from '../../../ports/cluster-renames';
import type { ClusterTally } from '../../../ports/cluster-reports';
import { refuseKnownCluster } from '../../../errors/store-refusals';
import type { KeyUse } from '../../../ports/key-mark';
import type { NoteRequest } from '../../../ports/notes';
import { recordsOf } from '../shared/claim-row';
import { pastClaims, type PastRow } from '../shared/past-claims';
import { rangeQuestions, usageFrom, type LivePrefix, type UnboundCount } from '../shared/pool-usage';
import type { PostgresQuery, PostgresRows } from './postgres-connections';
import { JOINED, LIVE, NOW_MS, pastQuery, tallyQuery } from './postgres-queries';
import { refuseTake } from './postgres-refusals';
import { claimRow, peekText, type WireRefusal } from './postgres-wire';

/** Runs one statement, again after a fault of the connection. */
export type Read = (query: PostgresQuery) => Promise<PostgresRows>;

const UNBOUND = `SELECT a.network, a.zone, a.family, count(*) FILTER (WHERE u.weight = 3), count(*) FILTER (WHERE u.weight = 2),
    count(*) FILTER (WHERE u.weight = 1)
  FROM (SELECT address_id, max(CASE state WHEN 'reserved' THEN 3 WHEN 'retained' THEN 2 ELSE 1 END) AS weight FROM ipam.holder
    WHERE ended_at IS NULL AND state IN ('reserved', 'retained', 'contested') GROUP BY address_id) u
  JOIN ipam.address a ON a.id = u.address_id
  WHERE NOT EXISTS (SELECT FROM ipam.holder b WHERE b.address_id = a.id AND b.ended_at IS NULL AND b.state = 'bound')
  GROUP BY a.network, a.zone, a.family`;

const IN_RANGES = `SELECT CASE WHEN q->>0 IS NULL THEN (SELECT count(*) FROM ipam.address a WHERE a.network = q->>1
    AND a.ended_at IS NULL AND a.state = 'foreign' AND a.length IS NULL AND a.address BETWEEN (q->>2)::inet AND (q->>3)::inet)
  ELSE (SELECT count(*) FROM ipam.address a WHERE a.zone = q->>0 AND a.network = q->>1 AND a.ended_at IS NULL
    AND a.length IS NULL AND a.address BETWEEN (q->>2)::inet AND (q->>3)::inet
    AND (a.state = 'held' OR a.quarantine_until > ${NOW_MS})) END
  FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS t(q, n) ORDER BY n`;

const PREFIXES = `SELECT a.network, a.zone, a.family, a.address, a.length, a.state = 'foreign' FROM ipam.address a
  WHERE ${LIVE} AND a.length IS NOT NULL`;

const LAST_ADDRESS = `SELECT a.address FROM ipam.holder h JOIN ipam.address a ON a.id = h.address_id
  WHERE h.ended_at IS NOT NULL AND h.cluster_uid = $1 AND h.service_name = $2
  AND (h.namespace_uid = $3 OR (h.namespace = $4 AND h.namespace <> '')) AND h.api_version = $7 AND h.kind = $8
  AND (h.state <> 'reserved' OR h.service_uid IS NOT NULL) AND a.network = $5 AND a.family = $6 AND a.length IS NULL
  ORDER BY h.ended_at DESC, h.row_id DESC LIMIT 1`;

const CLUSTERS = `SELECT coalesce(r.uid, c.uid), coalesce(r.name, ''), coalesce(c.claims, 0), r.reported_at
  FROM ipam.cluster r FULL JOIN (
    SELECT cluster_uid COLLATE "C" AS uid, count(*) AS claims FROM ipam.holder
    WHERE ended_at IS NULL AND cluster_uid <> '' GROUP BY 1
  ) c ON c.uid = r.uid ORDER BY coalesce(r.uid, c.uid) COLLATE "C"`;

const REPORT = `INSERT INTO ipam.cluster (uid, name, reported_at) SELECT $1, $2, ipam.now_ms()
  WHERE ipam.new_name_of($1) IS NULL ON CONFLICT (uid) DO UPDATE
  SET name = CASE excluded.name WHEN '' THEN cluster.name ELSE excluded.name END, reported_at = excluded.reported_at`;

const KEY_USE = `SELECT split_part(secret_hash, ':', 1) COLLATE "C" AS key, count(*) FROM ipam.address
  WHERE ended_at IS NULL AND secret_hash IS NOT NULL GROUP BY 1 ORDER BY 1`;

const BYTES = `SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'ipam' AND c.relkind = 'r'`;

const NOTE = `WITH kept AS (
    INSERT INTO ipam.setting (name, value) SELECT 'note:' || $1, $2 WHERE $2::text IS NOT NULL
    ON CONFLICT (name) DO UPDATE SET value = excluded.value RETURNING value
  ) SELECT value FROM kept UNION ALL SELECT value FROM ipam.setting WHERE $2::text IS NULL AND name = 'note:' || $1`;

// The row of the name is locked between comparison and write.
const NOTE_INSTEAD = `INSERT INTO ipam.setting AS kept (name, value) SELECT 'note:' || $1, $2
  WHERE $3 = '' OR EXISTS (SELECT FROM ipam.setting WHERE name = 'note:' || $1)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE kept.value = $3`;

type PoolRow = readonly [network: string, pool: string, family: 4 | 6, ...counts: number[]];

/**
 * `tally` of the port.
 *
 * @param read - runs a statement
 * @returns by network, pool, family
 */
export async function tally(read: Read): Promise<readonly PoolTally[]> {
  const rows = (await read(tallyQuery())) as readonly PoolRow[];
  return rows
    .map(([network, pool, family, held = 0, quarantined = 0]) => ({ network, pool, family, held, quarantined }))
    .filter(({ held, quarantined }) => held + quarantined > 0);
}

function prefixOfRow(row: readonly unknown[]): LivePrefix {
  const [network, pool, family, address, length, isForeign] = row as readonly [
    string,
    string,
    4 | 6,
    string,
    number,
    boolean,
  ];
  return { network, pool, family, block: new Prefix(addressOf(address), length), isForeign };
}

/**
 * `usage` of the port. Its statements see several moments, so numbers may be those of changes under way.
 *
 * @param read - runs a statement
 * @param spaces - what the pools may give
 * @returns by network, pool, family
 */
export async function usage(read: Read, spaces: readonly PoolSpace[]): Promise<readonly PoolUsage[]> {
  const [tallies, unboundRows, prefixRows] = await Promise.all([
    tally(read),
    read({ text: UNBOUND }),
    read({ text: PREFIXES }),
  ]);
  const unbound = (unboundRows as readonly PoolRow[]).map(
    ([network, pool, family, reserved = 0, retained = 0, contested = 0]): UnboundCount => {
      return { network, pool, family, reserved, retained, contested };
    },
  );
  const questions = rangeQuestions(spaces, tallies);
  const asked = questions.map(({ pool, network, first, last }) => {
    return [pool ?? null, network, first.toString(), last.toString()];
  });
  const answers = asked.length === 0 ? [] : await read({ text: IN_RANGES, values: [JSON.stringify(asked)] });
  const counts = answers.map(([n]) => n as number);
  return usageFrom({ spaces, tallies, unbound, questions, counts, prefixes: prefixRows.map(prefixOfRow) });
}

/**
 * `page` of the port.
 *
 * @param read - runs a statement
 * @param filter - what one holder must have
 * @param page - where it begins and how long it is
 * @returns by network, then lowest address first
 */
export async function pageRecords(
  read: Read,
  filter: RecordFilter,
  page: RecordPage,
): Promise<readonly AddressRecord[]> {
  const values: unknown[] = [];
  const value = (each: unknown): string => `$${values.push(each)}`;
  const conditions = [
    LIVE,
    "a.state <> 'foreign'",
    ...(filter.network === undefined ? [] : [`a.network = ${value(filter.network)}`]),
    ...(filter.pool === undefined ? [] : [`a.zone = ${value(filter.pool)}`]),
    ...(filter.state === undefined ? [] : [`a.state = '${filter.state === 'quarantined' ? 'quarantined' : 'held'}'`]),
    ...holderCondition(filter, value),
  ];
  if (page.after !== undefined) {
    const { network, address } = page.after;
    conditions.push(`(a.network, a.address) > (${value(network)}, ${value(address.toString())}::inet)`);
  }
  const text = `${JOINED} WHERE a.id IN (SELECT a.id FROM ipam.address a WHERE ${conditions.join(' AND ')}
    ORDER BY a.network, a.address LIMIT ${value(page.limit)}) ORDER BY a.network, a.address, h.id`;
  return recordsOf((await read({ text, values })).map(claimRow));
}

function holderCondition(filter: RecordFilter, value: (each: unknown) => string): readonly string[] {
  const { cluster, namespace, name, state } = filter;
  const ofHolder = state === undefined || state === 'quarantined' ? undefined : state;
  const all = [
    ...(cluster === undefined ? [] : [`f.cluster_uid = ${value(cluster)}`]),
    ...(namespace === undefined ? [] : [`f.namespace = ${value(namespace)}`]),
    ...(name === undefined ? [] : [`f.service_name = ${value(name)}`]),
    ...(ofHolder === undefined ? [] : ['f.ended_at IS NULL', `f.state = ${value(ofHolder)}`]),
  ];
  if (all.length === 0) return [];
  const where = ['(f.ended_at IS NULL OR f.former)', ...all].join(' AND ');
  return [`EXISTS (SELECT FROM ipam.holder f WHERE f.address_id = a.id AND ${where})`];
}

/**
 * `history` of the port.
 *
 * @param read - runs a statement
 * @param of - the space
 * @param page - how long, and before which position
 * @returns spans, newest first
 */
export async function history(
  read: Read,
  of: Place,
  page: { readonly limit: number; readonly before?: number },
): Promise<readonly PastClaim[]> {
  return pastClaims((await read(pastQuery(of))) as unknown as readonly PastRow[], page);
}

/**
 * `lastAddress` of the port.
 *
 * @param read - runs a statement
 * @param of - the owner
 * @returns the address that it gave up last
 */
export async function lastAddress(read: Read, { owner, network, family }: FormerHolder): Promise<Address | undefined> {
  const { cluster, apiVersion, kind, namespace, namespaceUid, name } = owner;
  const values = [cluster, name, namespaceUid, namespace, network, family, apiVersion, kind];
  const [row] = await read({ text: LAST_ADDRESS, values });
  return row === undefined ? undefined : addressOf(row[0] as string);
}

interface WirePlace {
  readonly network: string;
  readonly address: string;
  readonly length: number | null;
}

/**
 * `peek` of the port.
 *
 * @param read - runs a statement
 * @param request - what a take would be asked
 * @returns the spaces, or the refusal
 */
export async function peek(read: Read, request: TakeRequest): Promise<Outcome<readonly Place[]>> {
  const { cluster } = request.holder.owner;
  const values = [peekText(request), cluster];
  const [row] = await read({ text: 'SELECT ipam.peek_all($1), ipam.new_name_of($2)', values });
  const name = row?.[1] as string | null | undefined;
  if (name !== null && name !== undefined) return refuseRenamed(cluster, name);
  const found = row?.[0] as WireRefusal | { readonly refused?: undefined; readonly places: readonly WirePlace[] };
  if (found.refused !== undefined) return refuseTake(request, found);
  return accept(
    found.places.map(({ network, address, length }) => {
      const place = { network, address: addressOf(address) };
      return length === null ? place : { ...place, length };
    }),
  );
}

/**
 * `clusters` of the port.
 *
 * @param read - runs a statement
 * @returns by UID
 */
export async function clusters(read: Read): Promise<readonly ClusterTally[]> {
  const rows = (await read({ text: CLUSTERS })) as readonly (readonly [string, string, number, number | null])[];
  return rows.map(([cluster, name, claims, atMs]) => {
    return { cluster, name, claims, ...(atMs === null ? {} : { reportedAtMs: atMs }) };
  });
}

/**
 * `reportCluster` of the port.
 *
 * @param read - runs a statement
 * @param report - which cluster, under which name
 * @returns nothing
 */
export async function reportCluster(
  read: Read,
  report: { readonly cluster: string; readonly name: string },
): Promise<undefined> {
  await read({ text: REPORT, values: [report.cluster, report.name] });
  return undefined;
}

/**
 * `prune` of the port.
 *
 * @param read - runs a statement
 * @param old - what goes
 * @returns how many rows went
 */
export async function prune(read: Read, { endedForMs, limit, perNamespace }: PruneRequest): Promise<number> {
  const values = [endedForMs, limit];
  const [row] = await read({ text: 'SELECT ipam.prune(ipam.now_ms() - $1::bigint, $2)', values });
  const old = row?.[0] as number;
  if (perNamespace === undefined || old >= limit) return old;
  const rest = { text: 'SELECT ipam.prune_namespaces($1, $2)', values: [perNamespace, limit - old] };
  const [counted] = await read(rest);
  return old + (counted?.[0] as number);
}

/**
 * Counts the bytes of the store.
 *
 * @param read - runs a statement
 * @returns bytes of all tables with their indexes
 */
export async function bytes(read: Read): Promise<number> {
  const [row] = await read({ text: BYTES });
  return row?.[0] as number;
}

/**
 * `keyUse` of the port.
 *
 * @param read - runs a statement
 * @returns by key id
 */
export async function keyUse(read: Read): Promise<readonly KeyUse[]> {
  const rows = (await read({ text: KEY_USE })) as readonly (readonly [string, number])[];
  return rows.map(([keyId, records]) => ({ keyId, records }));
}

/**
 * `note` of the port.
 *
 * @param read - runs a statement
 * @param note - a name, and the text to keep under it
 * @returns what is kept
 */
export async function note(read: Read, { name, text, expected }: NoteRequest): Promise<string> {
  if (text !== undefined && expected !== undefined) {
    await read({ text: NOTE_INSTEAD, values: [name, text, expected] });
    return note(read, { name });
  }
  const [row] = await read({ text: NOTE, values: [name, text ?? null] });
  return (row?.[0] ?? '') as string;
}

// One statement: the note and what it tells are there together.
const RENAME = `WITH before AS (
    SELECT coalesce((SELECT value FROM ipam.setting WHERE name = 'note:' || $5), '') AS known,
      (SELECT count(*) FROM ipam.holder WHERE cluster_uid = $1 AND ended_at IS NULL) AS mine
  ), done AS MATERIALIZED (
    SELECT o_others, o_claims FROM ipam.rename_cluster($1, $2, $3::text[], $4::text[])
  ), told AS (
    INSERT INTO ipam.setting (name, value) SELECT 'note:' || n.name, n.value FROM done,
      (VALUES ($5::text, $2::text), ($6::text, '')) AS n (name, value) WHERE o_others = 0
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
  ) SELECT o_others, o_claims, known, mine FROM done, before`;

/**
 * `renameCluster` of the port.
 *
 * @param read - runs a statement
 * @param rename - both identities, and the keys that name them
 * @returns how many live holders are renamed; or refusal `cluster/known`
 */
export async function renameCluster(
  read: Read,
  { from, to, keys }: ClusterRename,
): Promise<Outcome<{ readonly claims: number }>> {
  const [before, after] = [keys.map((key) => key.from), keys.map((key) => key.to)];
  const values = [from, to, before, after, renamedNote(from), renamedNote(to)];
  const [row] = await read({ text: RENAME, values });
  const [others, claims, known, mine] = row ?? [];
  if (Number(others) === 0) return accept({ claims: Number(claims) });
  const isDone = known === to && Number(mine) === 0;
  return isDone ? accept({ claims: Number(others) }) : refuseKnownCluster(to, Number(others));
}
