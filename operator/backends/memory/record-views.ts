import { blockOf } from '../../addressing/space-text';
import type { PoolSpace, PoolUsage, RecordFilter, RecordPage } from '../../ports/claim-counts';
import type { AddressRecord, Holder, HolderState } from '../../ports/claims';
import type { ClusterTally } from '../../ports/cluster-reports';
import type { KeyUse } from '../../ports/key-mark';
import { byPlace, poolKey } from '../../addressing/place';

const STRONGEST: readonly HolderState[] = ['bound', 'reserved', 'retained', 'contested'];

type Counts = PoolUsage & Required<Pick<PoolUsage, HolderState | 'quarantined'>>;
type Counted = { -readonly [Field in keyof Counts]: Counts[Field] };

function stateOf({ holders }: AddressRecord): HolderState | 'quarantined' {
  return STRONGEST.find((state) => holders.some((holder) => holder.state === state)) ?? 'quarantined';
}

/**
 * Counts records by pool.
 *
 * @param records - every live record
 * @param spaces - what the pools may give
 * @returns one entry for each space and each pool with claims
 */
export function usageOf(records: readonly AddressRecord[], spaces: readonly PoolSpace[]): readonly PoolUsage[] {
  const pools = new Map<string, Counted>();
  const spaceOf = new Map(spaces.map((each) => [poolKey(each), each.space]));
  const poolOf = ({ network, pool, family }: Pick<PoolUsage, 'network' | 'pool' | 'family'>): Counted => {
    const key = poolKey({ network, pool, family });
    const empty = { reserved: 0, bound: 0, retained: 0, contested: 0, quarantined: 0, outside: 0, occupied: 0 };
    const found = pools.get(key) ?? { network, pool, family, ...empty };
    pools.set(key, found);
    return found;
  };
  for (const { network, family, space, ...rest } of spaces) {
    const inside = records.filter(
      (record) => record.network === network && record.family === family && space.containsPrefix(blockOf(record)),
    );
    const pool = poolOf({ network, family, ...rest });
    pool.occupied = inside.length;
    const inUse = inside.filter(({ state }) => state === 'foreign').length;
    if (inUse > 0) pool.inUse = inUse;
  }
  for (const record of records.filter(({ state }) => state !== 'foreign')) {
    const pool = poolOf(record);
    pool[stateOf(record)] += 1;
    if (spaceOf.get(poolKey(record))?.containsPrefix(blockOf(record)) !== true) pool.outside += 1;
  }
  return [...pools.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pool]) => Object.freeze(pool));
}

function hasAll(filter: RecordFilter, { owner }: Holder, state: HolderState | 'quarantined'): boolean {
  const { cluster = owner.cluster, name = owner.name, namespace = owner.namespace } = filter;
  if (cluster !== owner.cluster || name !== owner.name) return false;
  return namespace === owner.namespace && (filter.state ?? state) === state;
}

function matches(filter: RecordFilter, record: AddressRecord): boolean {
  if ((filter.network ?? record.network) !== record.network || (filter.pool ?? record.pool) !== record.pool)
    return false;
  const { quarantine } = record;
  if (quarantine !== undefined) return hasAll(filter, quarantine.former, 'quarantined');
  return record.holders.some((holder) => hasAll(filter, holder, holder.state));
}

/**
 * Picks one page of records.
 *
 * @param records - every live record
 * @param filter - what one holder must have
 * @param page - where it begins and how long it is
 * @returns by network, then lowest address first
 */
export function pageOf(
  records: readonly AddressRecord[],
  filter: RecordFilter,
  { limit, after }: RecordPage,
): readonly AddressRecord[] {
  const found = records.filter((record) => matches(filter, record)).sort(byPlace);
  const rest = after === undefined ? found : found.filter((record) => byPlace(record, after) > 0);
  return rest.slice(0, limit);
}

/** Last report of a cluster. */
export interface ClusterReport {
  readonly name: string;
  readonly atMs: number;
}

/**
 * Counts the holders of every cluster.
 *
 * @param records - every live record
 * @param reports - last report of each cluster
 * @returns clusters by UID
 */
export function clustersOf(
  records: readonly AddressRecord[],
  reports: ReadonlyMap<string, ClusterReport>,
): readonly ClusterTally[] {
  const claims = new Map([...reports.keys()].map((uid) => [uid, 0]));
  for (const { cluster } of records.flatMap((record) => record.holders.map((holder) => holder.owner))) {
    if (cluster !== '') claims.set(cluster, (claims.get(cluster) ?? 0) + 1);
  }
  return [...claims.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([cluster, count]) => {
      const report = reports.get(cluster);
      const reported = report === undefined ? {} : { reportedAtMs: report.atMs };
      return Object.freeze({ cluster, name: report?.name ?? '', claims: count, ...reported });
    });
}

/**
 * Counts records by the key of their secret.
 *
 * @param records - every live record, those whose quarantine ran out unnoticed as well
 * @returns counts by key id
 */
export function keyUseOf(records: readonly AddressRecord[]): readonly KeyUse[] {
  const counts = new Map<string, number>();
  for (const { secret } of records) {
    if (secret === undefined) continue;
    const keyId = secret.hash.slice(0, secret.hash.indexOf(':'));
    counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
  }
  return [...counts.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([keyId, count]) => ({ keyId, records: count }));
}
