import type { Address, Family } from '../../../addressing/address';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type {
  ClaimArchive,
  ClusterTally,
  KeyUse,
  PastClaim,
  RecordFilter,
  RecordPage,
  UsageTally,
  ZoneSpace,
} from '../../../ports/claim-archive';
import type { AddressRecord, Holder, HolderState, TakeRequest, ZoneTally } from '../../../ports/claim-store';
import type { IntentTable } from './v2-table';

/**
 * What a remote IPAM-API of version 2 lets us tell of the record: what this cluster holds. It has no history, and of other
 * clusters nothing is known.
 */
export class IntentArchive implements ClaimArchive {
  protected readonly table: IntentTable;

  /**
   * Begins to read.
   *
   * @param table - the rows of this cluster
   */
  constructor(table: IntentTable) {
    this.table = table;
  }

  /**
   * Tells nothing: other processes have the same rows.
   *
   * @returns undefined, as the store of claims says it then
   */
  revision(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** @inheritdoc */
  tally(): Promise<readonly ZoneTally[]> {
    const rows = [...this.#byZone()].map(([key, records]) => ({
      ...zoneOf(key),
      held: records.length,
      quarantined: 0,
    }));
    return Promise.resolve(rows);
  }

  /** @inheritdoc */
  usage(spaces: readonly ZoneSpace[]): Promise<readonly UsageTally[]> {
    const zones = this.#byZone();
    for (const space of spaces) {
      const key = zoneKey(space);
      if (!zones.has(key)) zones.set(key, []);
    }
    const held = this.#records();
    const rows = [...zones]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, records]) => {
        const zone = zoneOf(key);
        const asked = spaces.find((each) => zoneKey(each) === key);
        const inside = (address: Address): boolean => asked?.space.contains(address) === true;
        return {
          ...zone,
          ...countStates(records),
          quarantined: 0,
          outside: records.filter(({ address }) => !inside(address)).length,
          occupied: held.filter(({ network, address }) => network === zone.network && inside(address)).length,
        };
      });
    return Promise.resolve(rows);
  }

  /** @inheritdoc */
  page(filter: RecordFilter, { limit, after }: RecordPage): Promise<readonly AddressRecord[]> {
    const matching = this.#records()
      .filter((record) => matches(record, filter))
      .sort(byPlace);
    const rest = after === undefined ? matching : matching.filter((record) => byPlace(record, after) > 0);
    return Promise.resolve(rest.slice(0, limit));
  }

  /** @inheritdoc */
  history(): Promise<readonly PastClaim[]> {
    return Promise.resolve([]);
  }

  /** @inheritdoc */
  lastAddress(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** @inheritdoc */
  peek({ address, zone, space }: TakeRequest): Promise<Outcome<Address>> {
    if (address !== undefined && space.contains(address)) return Promise.resolve(accept(address));
    const message = `the IPAM-API chooses the address in zone "${zone}" when it is asked, and tells nobody before`;
    return Promise.resolve(refuse('pool/exhausted', message));
  }

  /** @inheritdoc */
  reportCluster(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** @inheritdoc */
  clusters(): Promise<readonly ClusterTally[]> {
    const claims = new Map<string, number>();
    for (const { service } of this.#records().flatMap(({ holders }) => holders)) {
      claims.set(service.clusterUid, (claims.get(service.clusterUid) ?? 0) + 1);
    }
    return Promise.resolve([...claims].map(([clusterUid, count]) => ({ clusterUid, name: '', claims: count })));
  }

  /** @inheritdoc */
  prune(): Promise<number> {
    return Promise.resolve(0);
  }

  /** @inheritdoc */
  keyUse(): Promise<readonly KeyUse[]> {
    return Promise.resolve([]);
  }

  /** @inheritdoc */
  replaceKeyFingerprint(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** @inheritdoc */
  note(): Promise<string> {
    return Promise.resolve('');
  }

  #records(): AddressRecord[] {
    return this.table.every().flatMap(({ record }) => (record === undefined ? [] : [record]));
  }

  #byZone(): Map<string, AddressRecord[]> {
    const zones = new Map<string, AddressRecord[]>();
    for (const record of this.#records()) {
      const key = zoneKey(record);
      zones.set(key, [...(zones.get(key) ?? []), record]);
    }
    return zones;
  }
}

/**
 * Orders records by network, then by address.
 *
 * @param a - one place
 * @param b - another place
 * @returns below 0 when `a` comes first
 */
export function byPlace(
  a: Pick<AddressRecord, 'network' | 'address'>,
  b: Pick<AddressRecord, 'network' | 'address'>,
): number {
  if (a.network !== b.network) return a.network < b.network ? -1 : 1;
  return a.address.compareTo(b.address);
}

interface ZoneName {
  readonly network: string;
  readonly zone: string;
  readonly family: Family;
}

function zoneKey({ network, zone, family }: ZoneName): string {
  return JSON.stringify([network, zone, family]);
}

function zoneOf(key: string): ZoneName {
  const [network, zone, family] = JSON.parse(key) as [string, string, Family];
  return { network, zone, family };
}

function countStates(records: readonly AddressRecord[]): Record<HolderState, number> {
  const counts = { reserved: 0, bound: 0, retained: 0 };
  for (const { holders } of records) {
    counts[holders.some(({ state }) => state === 'bound') ? 'bound' : 'reserved'] += 1;
  }
  return counts;
}

function matches(record: AddressRecord, filter: RecordFilter): boolean {
  const { network = record.network, zone = record.zone } = filter;
  return network === record.network && zone === record.zone && record.holders.some((each) => isMeant(each, filter));
}

function isMeant({ service, namespace, state }: Holder, filter: RecordFilter): boolean {
  const { clusterUid = service.clusterUid, serviceName = service.serviceName } = filter;
  if (clusterUid !== service.clusterUid || serviceName !== service.serviceName) return false;
  return (filter.namespace ?? namespace) === namespace && (filter.state ?? state) === state;
}
