import fc from 'fast-check';
import { addressFromBigInt, type Address, type Family } from '../../operator/addressing/address';
import { PrefixSetBuilder, type PrefixSet } from '../../operator/addressing/prefix-set';
import { rangeOf } from '../../operator/addressing/range';
import type { AddressRecord, ClaimQuery, ClaimStore, NewHolder } from '../../operator/ports/claim-store';

const FIRST = { 4: 0x0a000000n, 6: 0x20010db8n << 96n } as const;
const ZONES = ['y', 'z'] as const;
const NAMES = ['a', 'b', 'c', 'd'] as const;

/** One call of a random program; numbers are indexes into small sets, so that calls meet. */
export type Call =
  | { readonly do: 'take'; readonly who: Who; readonly where: Where; readonly limits: Limits }
  | { readonly do: 'bind'; readonly at: number; readonly who: Who; readonly over?: number; readonly stale: boolean }
  | {
      readonly do: 'release';
      readonly at: number;
      readonly holder: number;
      readonly pauseMs?: number;
      readonly stale: boolean;
    };

interface Who {
  readonly name: number;
  readonly namespace: number;
  readonly state: NewHolder['state'];
  readonly keyed: boolean;
  readonly leaseMs?: number;
}

interface Where {
  readonly zone: number;
  readonly family: Family;
  readonly size: number;
  readonly hole: number;
  readonly wish?: number;
  readonly returning: boolean;
}

interface Limits {
  readonly reserved?: number;
  readonly quota?: number;
}

/** Calls that arrive together, after a pause. */
export interface Burst {
  readonly pauseMs: number;
  readonly calls: readonly Call[];
  /** Close and open again before. */
  readonly restart: boolean;
}

// few values, so that ends and questions fall on the same millisecond
const moments = fc.constantFrom(0, 10, 20, 30);
const often = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const who = fc.record(
  {
    name: fc.nat({ max: 3 }),
    namespace: fc.nat({ max: 1 }),
    state: fc.constantFrom<NewHolder['state']>('reserved', 'bound', 'retained'),
    keyed: fc.boolean(),
    leaseMs: moments,
  },
  { requiredKeys: ['name', 'namespace', 'state', 'keyed'] },
);
const where = fc.record(
  {
    zone: fc.nat({ max: 1 }),
    family: fc.constantFrom<Family>(4, 4, 6),
    // mostly the same space, so that the index of free addresses lives longer than one call
    size: fc.oneof({ weight: 9, arbitrary: fc.constant(5) }, { weight: 1, arbitrary: fc.nat({ max: 6 }) }),
    hole: fc.oneof({ weight: 9, arbitrary: fc.constant(3) }, { weight: 1, arbitrary: fc.nat({ max: 6 }) }),
    wish: fc.nat({ max: 6 }),
    returning: fc.boolean(),
  },
  { requiredKeys: ['zone', 'family', 'size', 'hole', 'returning'] },
);
const limits = fc.record({ reserved: fc.nat({ max: 3 }), quota: fc.nat({ max: 5 }) }, { requiredKeys: [] });
const stale = fc.integer({ min: 0, max: 9 }).map((n) => n === 0);
const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('take' as const), who, where, limits }) },
  {
    weight: 3,
    arbitrary: fc
      .record({
        do: fc.constant('bind' as const),
        at: fc.nat({ max: 13 }),
        who,
        over: often(fc.nat({ max: 2 })),
        stale,
      })
      .map(({ over, ...rest }) => (over === undefined ? rest : { ...rest, over })),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({
        do: fc.constant('release' as const),
        at: fc.nat({ max: 13 }),
        holder: fc.nat({ max: 2 }),
        pauseMs: often(moments),
        stale,
      })
      .map(({ pauseMs, ...rest }) => (pauseMs === undefined ? rest : { ...rest, pauseMs })),
  },
);

/** Random programs: bursts of calls, with pauses and restarts between them. */
export const programs: fc.Arbitrary<readonly Burst[]> = fc.limitShrink(
  fc.array(
    fc.record({
      pauseMs: moments,
      calls: fc.array(call, { minLength: 1, maxLength: 6 }),
      restart: fc.integer({ min: 0, max: 14 }).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 20 },
  ),
  200,
);

/** Address number `index`: 0 to 6 are IPv4, 7 to 13 IPv6. */
function addressAt(index: number): Address {
  const family = index < 7 ? 4 : 6;
  return addressFromBigInt(family, FIRST[family] + BigInt(index % 7));
}

function spaceFor({ family, size, hole }: Where): PrefixSet {
  const at = (offset: number): Address => addressFromBigInt(family, FIRST[family] + BigInt(offset));
  return new PrefixSetBuilder()
    .add(rangeOf(at(0), at(size)))
    .subtract(at(hole))
    .build();
}

/** One run of a program in a network of its own, so that many runs can share two stores. */
export class ProgramRun {
  readonly network: string;
  nowMs = 1_000_000;

  constructor(run: number) {
    this.network = `network ${run}`;
  }

  holder({ name, namespace, state, keyed, leaseMs }: Who): NewHolder {
    const label = `${this.network}/${namespace}/${NAMES[name] ?? ''}`;
    return {
      service: {
        serviceName: NAMES[name] ?? '',
        namespaceUid: `${this.network}/${namespace}`,
        clusterUid: this.network,
      },
      namespace: `ns-${namespace}`,
      ...(state === 'reserved' ? {} : { serviceUid: `uid ${label}` }),
      state,
      ...(keyed ? { key: `key ${label}` } : {}),
      options: { retentionPeriodDays: name, denyExternalCleanup: keyed },
      writtenKeys: name > 1 ? ['x', 'y'] : [],
      ...(leaseMs === undefined ? {} : { expiresAtMs: this.nowMs + leaseMs }),
    };
  }

  /** The call as a function of a store; what it refers to is looked up in `records`, the state before the burst. */
  bound(call: Call, records: readonly AddressRecord[]): (store: ClaimStore) => Promise<unknown> {
    const { network, nowMs } = this;
    if (call.do === 'take') {
      const request = this.takeOf(call, records);
      return (store) => store.take(request);
    }
    const address = addressAt(call.at);
    const record = records.find((each) => each.address.equals(address));
    const version = (record?.version ?? 0) - (call.stale ? 1 : 0);
    const id = (index: number): string => record?.holders[index]?.id ?? 'nobody';
    if (call.do === 'bind') {
      const holder = this.holder(call.who);
      const over = call.over === undefined ? {} : { holderId: id(call.over) };
      return (store) => store.bind({ network, address, version, holder, nowMs, ...over });
    }
    const pause = call.pauseMs === undefined ? {} : { quarantineUntilMs: nowMs + call.pauseMs };
    return (store) => store.release({ network, address, version, holderId: id(call.holder), nowMs, ...pause });
  }

  takeOf(
    { who: whoAsks, where: target, limits: most }: Extract<Call, { do: 'take' }>,
    records: readonly AddressRecord[],
  ) {
    const address = target.wish === undefined ? undefined : addressAt(target.wish + (target.family === 4 ? 0 : 7));
    const version = records.find((each) => address?.equals(each.address))?.version;
    return {
      network: this.network,
      zone: ZONES[target.zone] ?? 'z',
      family: target.family,
      space: spaceFor(target),
      ...(address === undefined ? {} : { address }),
      ...(target.returning && version !== undefined ? { returningOver: version } : {}),
      secret: { hash: `k1:${whoAsks.name}`, scope: 'shared' as const },
      holder: this.holder(whoAsks),
      ...(most.reserved === undefined ? {} : { maxReservedInNamespace: most.reserved }),
      ...(most.quota === undefined ? {} : { zoneQuota: most.quota }),
      nowMs: this.nowMs,
    };
  }

  /** Every live record of the run. */
  async records(store: ClaimStore): Promise<readonly AddressRecord[]> {
    const lists = await Promise.all(
      ZONES.map((zone) => store.list({ by: 'zone', network: this.network, zone }, this.nowMs)),
    );
    return lists.flat();
  }

  /** Everything a reader can see of the run. */
  async view(store: ClaimStore): Promise<unknown> {
    const queries: ClaimQuery[] = [{ by: 'cluster', clusterUid: this.network }];
    for (const namespace of [0, 1]) {
      for (const [index, name] of NAMES.entries()) {
        const { service } = this.holder({ name: index, namespace, state: 'bound', keyed: true });
        const label = `${this.network}/${namespace}/${name}`;
        queries.push(
          { by: 'service', service },
          { by: 'uid', serviceUid: `uid ${label}` },
          { by: 'key', key: `key ${label}` },
        );
      }
    }
    const expired = (state: 'reserved' | 'retained') =>
      store.list({ by: 'expired', state, beforeMs: this.nowMs }, this.nowMs);
    const own = (records: readonly AddressRecord[]) => records.filter(({ network }) => network === this.network);
    const tallies = await store.tally(this.nowMs);
    return {
      lists: await Promise.all(queries.map((query) => store.list(query, this.nowMs))),
      reserved: own(await expired('reserved')),
      retained: own(await expired('retained')),
      tally: tallies.filter(({ network }) => network === this.network),
      records: await this.records(store),
      usage: await this.usage(store),
      pages: await this.pages(store),
      pasts: await this.pasts(store),
    };
  }

  private async usage(store: ClaimStore): Promise<unknown> {
    const where = { zone: 0, size: 5, hole: 3, returning: false };
    const spaces = ZONES.flatMap((zone) =>
      ([4, 6] as const).map((family) => ({
        network: this.network,
        zone,
        family,
        space: spaceFor({ ...where, family }),
      })),
    );
    const found = await store.usage(spaces, this.nowMs);
    return found.filter(({ network }) => network === this.network);
  }

  private async pages(store: ClaimStore): Promise<unknown> {
    const { network } = this;
    const found: AddressRecord[] = [];
    for (let after: AddressRecord | undefined; ;) {
      const page = { limit: 3, ...(after === undefined ? {} : { after }) };
      const records = await store.page({ network }, page, this.nowMs);
      found.push(...records);
      after = records.at(-1);
      if (after === undefined) break;
    }
    const filters = [{ state: 'quarantined' }, { state: 'reserved', namespace: 'ns-0' }, { zone: 'y' }] as const;
    const page = { limit: 9 };
    const filtered = filters.map((filter) => store.page({ network, clusterUid: network, ...filter }, page, this.nowMs));
    return [found, ...(await Promise.all(filtered))];
  }

  private async pasts(store: ClaimStore): Promise<unknown> {
    const { network } = this;
    const past = async (index: number): Promise<unknown> => {
      const spans = await store.history({ network, address: addressAt(index) }, { limit: 99 }, this.nowMs);
      return spans.map(({ place: _place, ...span }) => span);
    };
    return Promise.all([0, 1, 4, 6, 7, 8].map(past));
  }
}

/** The lowest address of a space that no live record has, found by walking. */
export function lowestByHand(space: PrefixSet, family: Family, records: readonly AddressRecord[]): string | undefined {
  const live = new Set(records.map(({ address }) => address.toString()));
  for (const { first, last } of space.ranges(family)) {
    for (
      let each: Address | undefined = first;
      each !== undefined;
      each = each.equals(last) ? undefined : each.next()
    ) {
      if (!live.has(each.toString())) return each.toString();
    }
  }
  return undefined;
}
