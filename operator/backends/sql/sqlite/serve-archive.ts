import { renamedNote } from '../../../contract/renamed-note';
import { newNameOf, noteOf } from './renamed-clusters';
import { accept } from '../../../errors/outcome';
import { refuseKnownCluster } from '../../../errors/store-refusals';
import { Prefix } from '../../../addressing/prefix';
import { PrefixSetBuilder } from '../../../addressing/prefix-set';
import { rangeOf } from '../../../addressing/range';
import type { PoolSpace, PoolTally, PoolUsage } from '../../../ports/claim-counts';
import type { ClusterTally } from '../../../ports/cluster-reports';
import type { KeyUse } from '../../../ports/key-mark';
import { DAY_MS } from '../../../contract/durations';
import { fromColumn, toColumn, type AddressColumn } from '../shared/address-column';
import type { ArchiveRequest, ArchiveResults, WireSpace } from './archive-wire';
import type { ClaimRow } from '../shared/claim-row';
import type { ClaimTables } from './claim-tables';
import type { FreedRow } from './freed-wire';
import type { PastRow } from '../shared/past-claims';
import { renameUses, SERVE_USES } from './occupied-uses';
import { peekClaim } from './take-claim';
import { rangeQuestions, usageFrom, type LivePrefix, type UnboundCount } from '../shared/pool-usage';

interface PrefixRow extends Pick<LivePrefix, 'network' | 'pool' | 'family'> {
  readonly address: AddressColumn;
  readonly length: number;
  readonly isForeign: 0 | 1;
}

type Ask<V extends ArchiveRequest['verb']> = Extract<ArchiveRequest, { verb: V }>;

function spaceOf({ network, pool, family, ranges }: WireSpace): PoolSpace {
  const builder = new PrefixSetBuilder();
  for (const [first, last] of ranges) builder.add(rangeOf(fromColumn(first), fromColumn(last)));
  return { network, pool, family, space: builder.build() };
}

/**
 * `tally` of the port. The numbers kept in memory count quarantines until they are ended; those that ran out are no longer
 * live.
 *
 * @param tables - the store
 * @param nowMs - quarantines that ended by then are left out
 * @returns by network, pool, family
 */
export function tallyClaims(tables: ClaimTables, nowMs: number): readonly Required<PoolTally>[] {
  const over = new Map<string, number>();
  for (const row of tables.statements.expiredEverywhere.all(nowMs)) {
    over.set(JSON.stringify([row['network'], row['pool'], row['family']]), row['n'] as number);
  }
  return tables.counts
    .all()
    .map((tally) => {
      const gone = over.get(JSON.stringify([tally.network, tally.pool, tally.family])) ?? 0;
      return { ...tally, quarantined: tally.quarantined - gone };
    })
    .filter((tally) => tally.held + tally.quarantined > 0);
}

function usage(tables: ClaimTables, request: Ask<'usage'>): readonly PoolUsage[] {
  const { archive } = tables.statements;
  const spaces = request.spaces.map(spaceOf);
  const tallies = tallyClaims(tables, request.nowMs);
  const questions = rangeQuestions(spaces, tallies);
  const counts = questions.map(({ network, pool, first, last }) => {
    const range = [network, toColumn(first), toColumn(last)] as const;
    const row =
      pool === undefined ? archive.foreignInRange.get(...range) : archive.inRange.get(pool, ...range, request.nowMs);
    return row?.['n'] as number;
  });
  const unbound = archive.unbound.all() as unknown as readonly UnboundCount[];
  const prefixes = archive.prefixes.all(request.nowMs).map((row): LivePrefix => {
    const { network, pool, family, address, length, isForeign } = row as unknown as PrefixRow;
    return { network, pool, family, block: new Prefix(fromColumn(address), length), isForeign: isForeign === 1 };
  });
  return usageFrom({ spaces, tallies, unbound, questions, counts, prefixes });
}

function page(tables: ClaimTables, { filter, limit, after, nowMs }: Ask<'page'>): readonly ClaimRow[] {
  const { state, ...named } = filter;
  const parameters = {
    ...named,
    ...(state === undefined || state === 'quarantined' ? {} : { state }),
    ...(after === undefined ? {} : { afterNetwork: after.network, afterAddress: after.address }),
    limit,
    now: nowMs,
  };
  const begins = after === undefined ? undefined : { network: after.network, address: fromColumn(after.address) };
  return tables.statements.archive.page(filter, begins).all(parameters) as unknown as readonly ClaimRow[];
}

function clusters(tables: ClaimTables): readonly ClusterTally[] {
  const { archive } = tables.statements;
  const reports = archive.clusters.all() as unknown as readonly Omit<ClusterTally, 'claims'>[];
  const claims = archive.clusterClaims.all() as unknown as readonly Pick<ClusterTally, 'cluster' | 'claims'>[];
  const all = new Map<string, ClusterTally>(
    claims.map(({ cluster, claims: n }) => [cluster, { cluster, name: '', claims: n }]),
  );
  for (const report of reports) {
    all.set(report.cluster, { ...report, claims: all.get(report.cluster)?.claims ?? 0 });
  }
  return [...all.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, cluster]) => cluster);
}

function prune(tables: ClaimTables, { endedForMs, limit, perNamespace, nowMs }: Ask<'prune'>): number {
  const endedBeforeMs = nowMs - endedForMs;
  const { archive } = tables.statements;
  const gone = Number(archive.pruneHolders.run(endedBeforeMs, limit).changes);
  archive.pruneAddresses.run(endedBeforeMs, limit);
  return gone + pruneNamespaces(tables, { perNamespace, limit: limit - gone, sinceMs: nowMs - DAY_MS });
}

// Only namespaces in which something ended lately can have become too many.
function pruneNamespaces(
  { statements: { archive } }: ClaimTables,
  { perNamespace, limit, sinceMs }: Readonly<Record<'perNamespace' | 'limit' | 'sinceMs', number>>,
): number {
  if (!Number.isSafeInteger(perNamespace)) return 0;
  let gone = 0;
  for (const { cluster, namespaceUid } of archive.busyNamespaces.all(sinceMs)) {
    if (gone >= limit) break;
    const place = [cluster, namespaceUid] as readonly [string, string];
    const rows = archive.pruneNamespace.all(...place, limit - gone, perNamespace);
    gone += rows.length;
    for (const id of new Set(rows.map((row) => row['addressId'] as number))) archive.pruneAddress.run(id);
  }
  return gone;
}

function renameCluster(tables: ClaimTables, request: Ask<'renameCluster'>): ArchiveResults['renameCluster'] {
  const { from, to, keys } = request;
  const { archive } = tables.statements;
  const count = (cluster: string): number => archive.renamedClaims.get(cluster)?.['n'] as number;
  const { setSetting } = tables.statements;
  const others = count(to);
  const isDone = noteOf(tables, renamedNote(from)) === to && count(from) === 0;
  if (others > 0) return isDone ? accept({ claims: others }) : refuseKnownCluster(to, others);
  tables.hasRenames = true;
  setSetting.run(`note:${renamedNote(from)}`, to);
  setSetting.run(`note:${renamedNote(to)}`, '');
  tables.revision += 1;
  archive.renameVersions.run({ version: tables.revision, from });
  for (const key of keys) archive.renameKeys.run({ ...key, cluster: from });
  archive.renameHolders.run({ from, to });
  renameUses(tables, request);
  archive.renameForeign.run({ from, to });
  archive.renameReport.run({ from, to });
  archive.forgetReport.run(from);
  return accept({ claims: count(to) });
}

function replaceKeyFingerprint(tables: ClaimTables, { before, after }: Ask<'replaceKeyFingerprint'>): boolean {
  const { setting, setSetting } = tables.statements;
  if ((setting.get('keyFingerprint')?.['value'] ?? '') !== before) return false;
  setSetting.run('keyFingerprint', after);
  return true;
}

function note(tables: ClaimTables, { name, text, expected }: Ask<'note'>): string {
  const kept = noteOf(tables, name);
  if (text === undefined || (expected !== undefined && expected !== kept)) return kept;
  tables.statements.setSetting.run(`note:${name}`, text);
  return text;
}

function lastAddress(tables: ClaimTables, { of }: Ask<'lastAddress'>): AddressColumn | undefined {
  const { network, family, owner } = of;
  const { cluster, apiVersion, kind, namespace, namespaceUid, name } = owner;
  const parameters = { network, family, cluster, apiVersion, kind, namespace, namespaceUid, name };
  return tables.statements.archive.lastAddress.get(parameters)?.['address'] as AddressColumn | undefined;
}

type Serve = { readonly [V in ArchiveRequest['verb']]: (tables: ClaimTables, request: Ask<V>) => ArchiveResults[V] };

const SERVE: Serve = {
  peek: peekClaim,
  usage,
  page,
  past: ({ statements }, { network, address, length, nowMs: now }) =>
    statements.archive.past.all({ network, address, length, now }) as unknown as readonly PastRow[],
  lastAddress,
  freed: ({ statements }, { statement, values }) =>
    statements.freed[statement].all(...values) as unknown as readonly FreedRow[],
  clusters,
  reportCluster: (tables, { cluster, name, nowMs }) => {
    if (newNameOf(tables, cluster) === undefined) tables.statements.archive.reportCluster.run(cluster, name, nowMs);
    return undefined;
  },
  prune,
  renameCluster,
  keyUse: ({ statements }) => statements.archive.keyUse.all() as unknown as readonly KeyUse[],
  replaceKeyFingerprint,
  note,
  ...SERVE_USES,
};

/**
 * Serves one request of the archive.
 *
 * @param tables - the store
 * @param request - what is asked
 * @returns its answer
 */
export function serveArchive<V extends ArchiveRequest['verb']>(
  tables: ClaimTables,
  request: Ask<V>,
): ArchiveResults[V] {
  const serve = SERVE[request.verb] as (tables: ClaimTables, request: Ask<V>) => ArchiveResults[V];
  return serve(tables, request);
}
