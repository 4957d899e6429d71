import fc from 'fast-check';
import { addressFromBigInt, type Address, type Family } from '../../operator/addressing/address';
import { PrefixSetBuilder, type PrefixSet } from '../../operator/addressing/prefix-set';
import { rangeOf } from '../../operator/addressing/range';
import { blockOf } from '../../operator/addressing/space-text';
import type { AddressRecord, ClaimQuery, Move, NewHolder, TakeRequest, Want } from '../../operator/ports/claims';
import type { OwnStore } from '../../operator/ports/store';
import { placeOf } from './claim-requests';

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
    }
  | { readonly do: 'exchange'; readonly at: readonly number[]; readonly stale: boolean };

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
  /** Blocks of 1, 2 or 4 addresses. */
  readonly bits: number;
  /** One of the other family, too. */
  readonly both: boolean;
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
    state: fc.constantFrom<NewHolder['state']>('reserved', 'bound', 'retained', 'contested'),
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
    bits: fc.constantFrom(0, 0, 0, 0, 1, 2),
    both: fc.constantFrom(false, false, false, true),
    returning: fc.boolean(),
  },
  { requiredKeys: ['zone', 'family', 'size', 'hole', 'bits', 'both', 'returning'] },
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
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('exchange' as const),
      at: fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 3 }),
      stale,
    }),
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

  constructor(run: number) {
    this.network = `network ${run}`;
  }

  holder({ name, namespace, state, keyed, leaseMs }: Who): NewHolder {
    const label = `${this.network}/${namespace}/${NAMES[name] ?? ''}`;
    return {
      owner: {
        cluster: this.network,
        apiVersion: 'v1',
        kind: name === 0 ? 'Other' : 'Service',
        name: NAMES[name] ?? '',
        namespace: `ns-${namespace}`,
        namespaceUid: `${this.network}/${namespace}`,
        ...(state === 'reserved' ? {} : { uid: `uid ${label}` }),
      },
      state,
      ...(keyed ? { key: `key ${label}` } : {}),
      ...(name === 3 ? {} : { options: { retentionPeriodDays: name, denyExternalCleanup: keyed } }),
      writtenKeys: name > 1 ? ['x', 'y'] : [],
      ...(leaseMs === undefined ? {} : { expiry: { kind: 'after', ms: leaseMs } }),
    };
  }

  /** The call as a function of a store; what it refers to is looked up in `records`, the state before the burst. */
  bound(call: Call, records: readonly AddressRecord[]): (store: OwnStore) => Promise<unknown> {
    if (call.do === 'take') {
      const request = this.takeOf(call, records);
      return (store) => store.take(request);
    }
    if (call.do === 'exchange') {
      const moves = movesOf(call, records);
      return (store) => store.exchange(moves);
    }
    const address = addressAt(call.at);
    const record = records.find((each) => each.address.equals(address));
    const place = record === undefined ? { network: this.network, address } : placeOf(record);
    const version = (record?.version ?? 0) - (call.stale ? 1 : 0);
    const id = (index: number): string => record?.holders[index]?.id ?? 'nobody';
    if (call.do === 'bind') {
      const holder = this.holder(call.who);
      const over = call.over === undefined ? {} : { holderId: id(call.over) };
      return (store) => store.bind({ ...place, version, holder, ...over });
    }
    const pause = call.pauseMs === undefined ? {} : { quarantineMs: call.pauseMs };
    return (store) => store.release({ ...place, version, holderId: id(call.holder), ...pause });
  }

  takeOf(
    { who: whoAsks, where: target, limits: most }: Extract<Call, { do: 'take' }>,
    records: readonly AddressRecord[],
  ): TakeRequest {
    const { key, ...holder } = this.holder(whoAsks);
    const limits = {
      ...(most.reserved === undefined ? {} : { maxReservedInNamespace: most.reserved }),
      ...(most.quota === undefined ? {} : { poolQuota: most.quota }),
    };
    const want = (where: Where): Want => {
      return { ...wantOf(where, records), ...(key === undefined ? {} : { key: `${key}/${where.family}` }) };
    };
    const { wish: _wish, ...other } = { ...target, family: target.family === 4 ? (6 as const) : (4 as const) };
    return {
      network: this.network,
      pool: ZONES[target.zone] ?? 'z',
      wants: target.both ? [want(target), want(other)] : [want(target)],
      ...(whoAsks.name === 3 ? {} : { secret: { hash: `k1:${whoAsks.name}`, scope: 'shared' as const } }),
      holder,
      limits,
    };
  }

  /** Every live record of the run. */
  async records(store: OwnStore): Promise<readonly AddressRecord[]> {
    const lists = await Promise.all(ZONES.map((pool) => store.list({ by: 'pool', network: this.network, pool })));
    return lists.flat();
  }

  /** Everything a reader can see of the run. */
  async view(store: OwnStore): Promise<unknown> {
    const queries: ClaimQuery[] = [{ by: 'cluster', cluster: this.network }];
    for (const namespace of [0, 1]) {
      for (const [index, name] of NAMES.entries()) {
        const { owner } = this.holder({ name: index, namespace, state: 'bound', keyed: true });
        const label = `${this.network}/${namespace}/${name}`;
        queries.push({ by: 'owner', owner }, { by: 'uid', uid: `uid ${label}` }, { by: 'key', key: `key ${label}/4` });
      }
    }
    const expired = (state: 'reserved' | 'retained') => store.list({ by: 'expired', state, sinceMs: 0 });
    const own = (records: readonly AddressRecord[]) => records.filter(({ network }) => network === this.network);
    const tallies = await store.tally();
    return {
      lists: await Promise.all(queries.map((query) => store.list(query))),
      reserved: own(await expired('reserved')),
      retained: own(await expired('retained')),
      tally: tallies.filter(({ network }) => network === this.network),
      records: await this.records(store),
      usage: await this.#usage(store),
      pages: await this.#pages(store),
      pasts: await this.#pasts(store),
    };
  }

  async #usage(store: OwnStore): Promise<unknown> {
    const where = { zone: 0, size: 5, hole: 3, bits: 0, both: false, returning: false };
    const spaces = ZONES.flatMap((pool) =>
      ([4, 6] as const).map((family) => ({
        network: this.network,
        pool,
        family,
        space: spaceFor({ ...where, family }),
      })),
    );
    const found = await store.usage(spaces);
    return found.filter(({ network }) => network === this.network);
  }

  async #pages(store: OwnStore): Promise<unknown> {
    const { network } = this;
    const found: AddressRecord[] = [];
    for (let after: AddressRecord | undefined; ;) {
      const page = { limit: 3, ...(after === undefined ? {} : { after }) };
      const records = await store.page({ network }, page);
      found.push(...records);
      after = records.at(-1);
      if (after === undefined) break;
    }
    const filters = [{ state: 'quarantined' }, { state: 'reserved', namespace: 'ns-0' }, { pool: 'y' }] as const;
    const page = { limit: 9 };
    const filtered = filters.map((filter) => store.page({ network, cluster: network, ...filter }, page));
    return [found, ...(await Promise.all(filtered))];
  }

  async #pasts(store: OwnStore): Promise<unknown> {
    const { network } = this;
    const past = async (index: number, length?: number): Promise<unknown> => {
      const place = { network, address: addressAt(index), ...(length === undefined ? {} : { length }) };
      const spans = await store.history(place, { limit: 99 });
      return spans.map(({ place: _place, ...span }) => span);
    };
    return Promise.all([...[0, 1, 4, 6, 7, 8].map((index) => past(index)), past(0, 30), past(4, 31), past(7, 127)]);
  }
}

function wantOf({ family, ...where }: Where, records: readonly AddressRecord[]): Want {
  // a wished block begins where blocks of its size do
  const aligned = where.wish === undefined ? undefined : where.wish - (where.wish % 2 ** where.bits);
  const address = aligned === undefined ? undefined : addressAt(aligned + (family === 4 ? 0 : 7));
  const version = records.find((each) => address?.equals(each.address))?.version;
  return {
    family,
    space: spaceFor({ family, ...where }),
    ...(where.bits === 0 ? {} : { length: (family === 4 ? 32 : 128) - where.bits }),
    ...(address === undefined ? {} : { address }),
    ...(where.returning && version !== undefined ? { returningOver: version } : {}),
  };
}

// A circle of the first holders of some records, as far as there are so many.
function movesOf({ at, stale }: Extract<Call, { do: 'exchange' }>, records: readonly AddressRecord[]): readonly Move[] {
  const held = records.filter(({ state }) => state === 'held');
  const circle = at.flatMap((index) => held[index] ?? []);
  return circle.map((record, index) => ({
    from: {
      ...placeOf(record),
      version: record.version - (stale ? 1 : 0),
      holderId: record.holders[0]?.id ?? 'nobody',
    },
    to: placeOf(circle[(index + 1) % circle.length] ?? record),
  }));
}

/** The lowest block of a space that no live record overlaps, found by walking. */
export function lowestByHand({ space, family, length }: Want, records: readonly AddressRecord[]): string | undefined {
  const live = records.map(blockOf);
  for (const { first, last } of space.ranges(family)) {
    for (
      let each: Address | undefined = first;
      each !== undefined;
      each = each.equals(last) ? undefined : each.next()
    ) {
      const block = blockOf({ address: each, ...(length === undefined ? {} : { length }) });
      const fits = block.first.equals(each) && space.containsPrefix(block);
      if (fits && !live.some((other) => other.overlaps(block))) return each.toString();
    }
  }
  return undefined;
}
