import type { ClusterTally, KeyUse, RecordFilter, RecordPage, UsageTally, ZoneSpace } from '../../ports/claim-archive';
import type { AddressRecord, Holder, HolderState } from '../../ports/claim-store';

const STRONGEST: readonly HolderState[] = ['bound', 'reserved', 'retained'];

type Counted = { -readonly [Field in keyof UsageTally]: UsageTally[Field] };

function zoneKey({ network, zone, family }: Pick<UsageTally, 'network' | 'zone' | 'family'>): string {
  return JSON.stringify([network, zone, family]);
}

function stateOf({ holders }: AddressRecord): HolderState | 'quarantined' {
  return STRONGEST.find((state) => holders.some((holder) => holder.state === state)) ?? 'quarantined';
}

/**
 * Counts records by zone.
 *
 * @param records - every live record
 * @param spaces - what the zones may give
 * @returns one entry for each space and each zone with records
 */
export function usageOf(records: readonly AddressRecord[], spaces: readonly ZoneSpace[]): readonly UsageTally[] {
  const zones = new Map<string, Counted>();
  const spaceOf = new Map(spaces.map((each) => [zoneKey(each), each.space]));
  const zoneOf = ({ network, zone, family }: Pick<UsageTally, 'network' | 'zone' | 'family'>): Counted => {
    const key = zoneKey({ network, zone, family });
    const empty = { reserved: 0, bound: 0, retained: 0, quarantined: 0, outside: 0, occupied: 0 };
    const found = zones.get(key) ?? { network, zone, family, ...empty };
    zones.set(key, found);
    return found;
  };
  for (const { network, family, space, ...rest } of spaces) {
    const inside = records.filter(
      (record) => record.network === network && record.family === family && space.contains(record.address),
    );
    zoneOf({ network, family, ...rest }).occupied = inside.length;
  }
  for (const record of records) {
    const zone = zoneOf(record);
    zone[stateOf(record)] += 1;
    if (spaceOf.get(zoneKey(record))?.contains(record.address) !== true) zone.outside += 1;
  }
  return [...zones.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, zone]) => Object.freeze(zone));
}

function hasAll(filter: RecordFilter, holder: Holder, state: HolderState | 'quarantined'): boolean {
  const { clusterUid = holder.service.clusterUid, serviceName = holder.service.serviceName } = filter;
  const { namespace = holder.namespace } = filter;
  if (clusterUid !== holder.service.clusterUid || serviceName !== holder.service.serviceName) return false;
  return namespace === holder.namespace && (filter.state ?? state) === state;
}

function matches(filter: RecordFilter, record: AddressRecord): boolean {
  if ((filter.network ?? record.network) !== record.network || (filter.zone ?? record.zone) !== record.zone)
    return false;
  const { quarantine } = record;
  if (quarantine !== undefined) return hasAll(filter, quarantine.former, 'quarantined');
  return record.holders.some((holder) => hasAll(filter, holder, holder.state));
}

function byPlace(a: Pick<AddressRecord, 'network' | 'address'>, b: Pick<AddressRecord, 'network' | 'address'>): number {
  if (a.network !== b.network) return a.network < b.network ? -1 : 1;
  return a.address.compareTo(b.address);
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
  for (const { clusterUid } of records.flatMap((record) => record.holders.map((holder) => holder.service))) {
    if (clusterUid !== '') claims.set(clusterUid, (claims.get(clusterUid) ?? 0) + 1);
  }
  return [...claims.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([clusterUid, count]) => {
      const report = reports.get(clusterUid);
      const reported = report === undefined ? {} : { reportedAtMs: report.atMs };
      return Object.freeze({ clusterUid, name: report?.name ?? '', claims: count, ...reported });
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
    const keyId = secret.hash.slice(0, secret.hash.indexOf(':'));
    counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
  }
  return [...counts.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([keyId, count]) => ({ keyId, records: count }));
}
