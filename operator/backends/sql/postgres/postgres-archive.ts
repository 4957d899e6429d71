import { addressOf, type Address } from '../../../addressing/address';
import { accept, type Outcome } from '../../../errors/outcome';
import type {
  ClusterTally,
  FormerHolder,
  KeyUse,
  PastClaim,
  RecordFilter,
  RecordPage,
  UsageTally,
  ZoneSpace,
} from '../../../ports/claim-archive';
import type { AddressRecord, TakeRequest, ZoneTally } from '../../../ports/claim-store';
import { recordsOf } from '../shared/claim-row';
import { PAST_COLUMNS, pastClaims, type PastRow } from '../shared/past-claims';
import type { PostgresQuery, PostgresRows } from './postgres-connections';
import { JOINED, tallyQuery } from './postgres-queries';
import { batchText, claimRow, refusalFor, type WireRefusal } from './postgres-wire';
import { rangeQuestions, usageFrom, type UnboundCount } from '../shared/zone-usage';

/** Runs one statement, again after a fault of the connection. */
export type Read = (query: PostgresQuery) => Promise<PostgresRows>;

const UNBOUND = `SELECT a.network, a.zone, a.family, count(*) FILTER (WHERE u.reserved), count(*) FILTER (WHERE NOT u.reserved)
  FROM (SELECT address_id, bool_or(state = 'reserved') AS reserved FROM ipam.holder
    WHERE ended_at IS NULL AND state IN ('reserved', 'retained') GROUP BY address_id) u
  JOIN ipam.address a ON a.id = u.address_id
  WHERE NOT EXISTS (SELECT FROM ipam.holder b WHERE b.address_id = a.id AND b.ended_at IS NULL AND b.state = 'bound')
  GROUP BY a.network, a.zone, a.family`;

const IN_RANGES = `SELECT (SELECT count(*) FROM ipam.address a WHERE a.zone = q->>0 AND a.network = q->>1 AND a.ended_at IS NULL
    AND a.address BETWEEN (q->>2)::inet AND (q->>3)::inet AND (a.state = 'held' OR a.quarantine_until > $2))
  FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS t(q, n) ORDER BY n`;

const PAST = `SELECT ${PAST_COLUMNS} FROM ipam.address a JOIN ipam.holder h ON h.address_id = a.id WHERE a.id IN (
    SELECT id FROM ipam.address WHERE network = $1 AND address = $2 AND ended_at IS NULL
    UNION ALL SELECT id FROM ipam.address WHERE network = $1 AND address = $2 AND ended_at IS NOT NULL
  ) ORDER BY h.row_id`;

const LAST_ADDRESS = `SELECT a.address FROM ipam.holder h JOIN ipam.address a ON a.id = h.address_id
  WHERE h.ended_at IS NOT NULL AND h.cluster_uid = $1 AND h.service_name = $2
  AND (h.namespace_uid = $3 OR (h.namespace = $4 AND h.namespace <> ''))
  AND (h.state <> 'reserved' OR h.service_uid IS NOT NULL) AND a.network = $5 AND a.family = $6
  ORDER BY h.ended_at DESC, h.row_id DESC LIMIT 1`;

const CLUSTERS = `SELECT coalesce(r.uid, c.uid), coalesce(r.name, ''), coalesce(c.claims, 0), r.reported_at
  FROM ipam.cluster r FULL JOIN (
    SELECT cluster_uid COLLATE "C" AS uid, count(*) AS claims FROM ipam.holder
    WHERE ended_at IS NULL AND cluster_uid <> '' GROUP BY 1
  ) c ON c.uid = r.uid ORDER BY coalesce(r.uid, c.uid) COLLATE "C"`;

const REPORT = `INSERT INTO ipam.cluster (uid, name, reported_at) VALUES ($1, $2, $3) ON CONFLICT (uid) DO UPDATE
  SET name = CASE excluded.name WHEN '' THEN cluster.name ELSE excluded.name END, reported_at = excluded.reported_at`;

const KEY_USE = `SELECT split_part(secret_hash, ':', 1) COLLATE "C" AS key, count(*) FROM ipam.address
  WHERE ended_at IS NULL GROUP BY 1 ORDER BY 1`;

/**
 * `usage` of the port. Its three statements see three moments, so numbers may be those of changes under way.
 *
 * @param read - runs a statement
 * @param spaces - what the zones may give
 * @param nowMs - quarantines that ended by then are left out
 * @returns by network, zone, family
 */
export async function usage(read: Read, spaces: readonly ZoneSpace[], nowMs: number): Promise<readonly UsageTally[]> {
  const [tallyRows, unboundRows] = await Promise.all([read(tallyQuery(nowMs)), read({ text: UNBOUND })]);
  const tallies = (tallyRows as readonly (readonly [string, string, 4 | 6, number, number])[])
    .map(([network, zone, family, held, quarantined]): ZoneTally => ({ network, zone, family, held, quarantined }))
    .filter(({ held, quarantined }) => held + quarantined > 0);
  const unbound = (unboundRows as readonly (readonly [string, string, 4 | 6, number, number])[]).map(
    ([network, zone, family, reserved, retained]): UnboundCount => ({ network, zone, family, reserved, retained }),
  );
  const questions = rangeQuestions(spaces, tallies);
  const asked = questions.map(({ zone, network, first, last }) => [zone, network, first.toString(), last.toString()]);
  const answers = asked.length === 0 ? [] : await read({ text: IN_RANGES, values: [JSON.stringify(asked), nowMs] });
  return usageFrom({ spaces, tallies, unbound, questions, counts: answers.map(([n]) => n as number) });
}

/**
 * `page` of the port.
 *
 * @param read - runs a statement
 * @param filter - what one holder must have
 * @param page - where it begins, how long it is, and the time
 * @returns by network, then lowest address first
 */
export async function pageRecords(
  read: Read,
  filter: RecordFilter,
  page: RecordPage & { readonly nowMs: number },
): Promise<readonly AddressRecord[]> {
  const values: unknown[] = [];
  const value = (each: unknown): string => `$${values.push(each)}`;
  const conditions = [
    `a.ended_at IS NULL AND (a.state = 'held' OR a.quarantine_until > ${value(page.nowMs)})`,
    ...(filter.network === undefined ? [] : [`a.network = ${value(filter.network)}`]),
    ...(filter.zone === undefined ? [] : [`a.zone = ${value(filter.zone)}`]),
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
  const { clusterUid, namespace, serviceName, state } = filter;
  const ofHolder = state === undefined || state === 'quarantined' ? undefined : state;
  const all = [
    ...(clusterUid === undefined ? [] : [`f.cluster_uid = ${value(clusterUid)}`]),
    ...(namespace === undefined ? [] : [`f.namespace = ${value(namespace)}`]),
    ...(serviceName === undefined ? [] : [`f.service_name = ${value(serviceName)}`]),
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
 * @param at - the address
 * @param page - how long, before which place, and the time
 * @returns spans, newest first
 */
export async function history(
  read: Read,
  at: { readonly network: string; readonly address: Address },
  page: { readonly limit: number; readonly before?: number; readonly nowMs: number },
): Promise<readonly PastClaim[]> {
  const rows = await read({ text: PAST, values: [at.network, at.address.toString()] });
  return pastClaims(rows as unknown as readonly PastRow[], page, page.nowMs);
}

/**
 * `lastAddress` of the port.
 *
 * @param read - runs a statement
 * @param of - the Service
 * @returns the address that it gave up last
 */
export async function lastAddress(
  read: Read,
  { service, namespace, network, family }: FormerHolder,
): Promise<Address | undefined> {
  const { clusterUid, serviceName, namespaceUid } = service;
  const values = [clusterUid, serviceName, namespaceUid, namespace, network, family];
  const [row] = await read({ text: LAST_ADDRESS, values });
  return row === undefined ? undefined : addressOf(row[0] as string);
}

/**
 * `peek` of the port.
 *
 * @param read - runs a statement
 * @param request - what a take would be asked
 * @returns the address, or the refusal
 */
export async function peek(read: Read, request: TakeRequest): Promise<Outcome<Address>> {
  const write = { verb: 'take', request } as const;
  const [row] = await read({ text: 'SELECT ipam.peek($1)', values: [batchText([write])] });
  const found = row?.[0] as WireRefusal | { readonly address: string };
  return 'refused' in found ? refusalFor(write, found) : accept(addressOf(found.address));
}

/**
 * `clusters` of the port.
 *
 * @param read - runs a statement
 * @returns by UID
 */
export async function clusters(read: Read): Promise<readonly ClusterTally[]> {
  const rows = (await read({ text: CLUSTERS })) as readonly (readonly [string, string, number, number | null])[];
  return rows.map(([clusterUid, name, claims, atMs]) => {
    return { clusterUid, name, claims, ...(atMs === null ? {} : { reportedAtMs: atMs }) };
  });
}

/**
 * `reportCluster` of the port.
 *
 * @param read - runs a statement
 * @param report - which cluster, under which name, when
 * @returns nothing
 */
export async function reportCluster(
  read: Read,
  report: { readonly clusterUid: string; readonly name: string; readonly atMs: number },
): Promise<undefined> {
  await read({ text: REPORT, values: [report.clusterUid, report.name, report.atMs] });
  return undefined;
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
