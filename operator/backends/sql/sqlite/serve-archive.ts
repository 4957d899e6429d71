import { PrefixSetBuilder } from '../../../addressing/prefix-set';
import { rangeOf } from '../../../addressing/range';
import type { ClusterTally, KeyUse, UsageTally, ZoneSpace } from '../../../ports/claim-archive';
import type { ZoneTally } from '../../../ports/claim-store';
import { fromColumn, toColumn, type AddressColumn } from '../shared/address-column';
import type { ArchiveRequest, ArchiveResults, WireSpace } from './archive-wire';
import type { ClaimRow } from '../shared/claim-row';
import type { ClaimTables } from './claim-tables';
import type { FreedRow } from './freed-wire';
import type { PastRow } from '../shared/past-claims';
import { peekClaim } from './take-claim';
import { rangeQuestions, usageFrom, type UnboundCount } from '../shared/zone-usage';

type Ask<V extends ArchiveRequest['verb']> = Extract<ArchiveRequest, { verb: V }>;

function spaceOf({ network, zone, family, ranges }: WireSpace): ZoneSpace {
  const builder = new PrefixSetBuilder();
  for (const [first, last] of ranges) builder.add(rangeOf(fromColumn(first), fromColumn(last)));
  return { network, zone, family, space: builder.build() };
}

/**
 * `tally` of the port. The numbers kept in memory count quarantines until somebody ends them; those that ran out are no
 * longer live.
 *
 * @param tables - the store
 * @param nowMs - quarantines that ended by then are left out
 * @returns by network, zone, family
 */
export function tallyClaims(tables: ClaimTables, nowMs: number): readonly ZoneTally[] {
  const over = new Map<string, number>();
  for (const row of tables.statements.expiredEverywhere.all(nowMs)) {
    over.set(JSON.stringify([row['network'], row['zone'], row['family']]), row['n'] as number);
  }
  return tables.counts
    .all()
    .map((zone) => {
      const gone = over.get(JSON.stringify([zone.network, zone.zone, zone.family])) ?? 0;
      return { ...zone, quarantined: zone.quarantined - gone };
    })
    .filter((zone) => zone.held + zone.quarantined > 0);
}

function usage(tables: ClaimTables, request: Ask<'usage'>): readonly UsageTally[] {
  const { archive } = tables.statements;
  const spaces = request.spaces.map(spaceOf);
  const tallies = tallyClaims(tables, request.nowMs);
  const questions = rangeQuestions(spaces, tallies);
  const counts = questions.map(({ network, zone, first, last }) => {
    const row = archive.inRange.get(zone, network, toColumn(first), toColumn(last), request.nowMs);
    return row?.['n'] as number;
  });
  const unbound = archive.unbound.all() as unknown as readonly UnboundCount[];
  return usageFrom({ spaces, tallies, unbound, questions, counts });
}

function page(tables: ClaimTables, { filter, limit, after, nowMs }: Ask<'page'>): readonly ClaimRow[] {
  const { state, ...named } = filter;
  const parameters = {
    ...named,
    ...(state === undefined || state === 'quarantined' ? {} : { state }),
    ...(after === undefined ? {} : { afterNetwork: after.network, afterAddress: after.address }),
    ...{ limit, now: nowMs },
  };
  const begins = after === undefined ? undefined : { network: after.network, address: fromColumn(after.address) };
  return tables.statements.archive.page(filter, begins).all(parameters) as unknown as readonly ClaimRow[];
}

function clusters(tables: ClaimTables): readonly ClusterTally[] {
  const { archive } = tables.statements;
  const reports = archive.clusters.all() as unknown as readonly Omit<ClusterTally, 'claims'>[];
  const claims = archive.clusterClaims.all() as unknown as readonly Pick<ClusterTally, 'clusterUid' | 'claims'>[];
  const all = new Map<string, ClusterTally>(
    claims.map(({ clusterUid, claims: n }) => [clusterUid, { clusterUid, name: '', claims: n }]),
  );
  for (const report of reports) {
    all.set(report.clusterUid, { ...report, claims: all.get(report.clusterUid)?.claims ?? 0 });
  }
  return [...all.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, cluster]) => cluster);
}

function prune(tables: ClaimTables, { endedBeforeMs, limit }: Ask<'prune'>): number {
  const { archive } = tables.statements;
  const gone = archive.pruneHolders.run(endedBeforeMs, limit).changes;
  archive.pruneAddresses.run(endedBeforeMs, limit);
  return Number(gone);
}

function replaceKeyFingerprint(tables: ClaimTables, { before, after }: Ask<'replaceKeyFingerprint'>): boolean {
  const { setting, setSetting } = tables.statements;
  if ((setting.get('keyFingerprint')?.['value'] ?? '') !== before) return false;
  setSetting.run('keyFingerprint', after);
  return true;
}

function note(tables: ClaimTables, { name, text }: Ask<'note'>): string {
  const { setting, setSetting } = tables.statements;
  if (text !== undefined) setSetting.run(`note:${name}`, text);
  return (setting.get(`note:${name}`)?.['value'] ?? '') as string;
}

function lastAddress(tables: ClaimTables, { of }: Ask<'lastAddress'>): AddressColumn | undefined {
  const { network, family, namespace, service } = of;
  const { serviceName, namespaceUid, clusterUid } = service;
  const parameters = { network, family, namespace, serviceName, namespaceUid, clusterUid };
  return tables.statements.archive.lastAddress.get(parameters)?.['address'] as AddressColumn | undefined;
}

type Serve = { readonly [V in ArchiveRequest['verb']]: (tables: ClaimTables, request: Ask<V>) => ArchiveResults[V] };

const SERVE: Serve = {
  peek: peekClaim,
  usage,
  page,
  past: ({ statements }, { network, address }) =>
    statements.archive.past.all({ network, address }) as unknown as readonly PastRow[],
  lastAddress,
  freed: ({ statements }, { statement, values }) =>
    statements.freed[statement].all(...values) as unknown as readonly FreedRow[],
  clusters,
  reportCluster: ({ statements }, { clusterUid, name, atMs }) => {
    statements.archive.reportCluster.run(clusterUid, name, atMs);
    return undefined;
  },
  prune,
  keyUse: ({ statements }) => statements.archive.keyUse.all() as unknown as readonly KeyUse[],
  replaceKeyFingerprint,
  note,
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
