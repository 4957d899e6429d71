import type { Address, Family } from '../../../addressing/address';
import type {
  ClaimCounts,
  PoolSpace,
  PoolTally,
  PoolUsage,
  RecordFilter,
  RecordPage,
} from '../../../ports/claim-counts';
import type { AddressRecord, Holder } from '../../../ports/claims';
import type { IntentTable } from './v2-table';
import { byPlace, poolKey, type PoolName } from '../../../addressing/place';

/**
 * Counts what this cluster holds at an IPAM-API of version 2. Of other clusters nothing is known, nor of retentions and quarantines, which the
 * IPAM-API keeps.
 */
export class IntentCounts implements ClaimCounts {
  protected readonly table: IntentTable;

  /**
   * Begins to read.
   *
   * @param table - the rows of this cluster
   */
  constructor(table: IntentTable) {
    this.table = table;
  }

  /** @inheritdoc */
  tally(): Promise<readonly PoolTally[]> {
    const rows = [...this.#byPool()].map(([key, records]) => ({
      ...poolOf(key),
      held: records.length,
    }));
    return Promise.resolve(rows);
  }

  /** @inheritdoc */
  usage(spaces: readonly PoolSpace[]): Promise<readonly PoolUsage[]> {
    const pools = this.#byPool();
    for (const space of spaces) {
      const key = poolKey(space);
      if (!pools.has(key)) pools.set(key, []);
    }
    const held = this.#records();
    const rows = [...pools]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, records]) => {
        const pool = poolOf(key);
        const asked = spaces.find((each) => poolKey(each) === key);
        const inside = (address: Address): boolean => asked?.space.contains(address) === true;
        return {
          ...pool,
          ...countStates(records),
          outside: records.filter(({ address }) => !inside(address)).length,
          occupied: held.filter(({ network, address }) => network === pool.network && inside(address)).length,
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

  #records(): AddressRecord[] {
    return this.table.every().flatMap(({ record }) => (record === undefined ? [] : [record]));
  }

  #byPool(): Map<string, AddressRecord[]> {
    const pools = new Map<string, AddressRecord[]>();
    for (const record of this.#records()) {
      const key = poolKey(record);
      pools.set(key, [...(pools.get(key) ?? []), record]);
    }
    return pools;
  }
}

function poolOf(key: string): PoolName {
  const [network, pool, family] = JSON.parse(key) as [string, string, Family];
  return { network, pool, family };
}

function countStates(records: readonly AddressRecord[]): Pick<PoolUsage, 'reserved' | 'bound'> {
  const counts = { reserved: 0, bound: 0 };
  for (const { holders } of records) {
    counts[holders.some(({ state }) => state === 'bound') ? 'bound' : 'reserved'] += 1;
  }
  return counts;
}

function matches(record: AddressRecord, filter: RecordFilter): boolean {
  const { network = record.network, pool = record.pool } = filter;
  return network === record.network && pool === record.pool && record.holders.some((each) => isMeant(each, filter));
}

function isMeant({ owner, state }: Holder, filter: RecordFilter): boolean {
  const { cluster = owner.cluster, name = owner.name, namespace = owner.namespace } = filter;
  if (cluster !== owner.cluster || name !== owner.name) return false;
  return namespace === owner.namespace && (filter.state ?? state) === state;
}
