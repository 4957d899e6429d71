import { blockOf } from '../../../../../operator/addressing/space-text';
import { openPostgresStore } from '../../../../../operator/backends/sql/postgres/postgres-claim-store';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { valueOf } from '../../../../../operator/errors/ipam-error';
import type { AddressRecord } from '../../../../../operator/ports/claims';
import type { OwnStore } from '../../../../../operator/ports/store';
import {
  addressText,
  refusalOf,
  releasing,
  spaceOf,
  taken,
  taking,
  type Taking,
} from '../../../../support/claim-requests';
import { auditPostgres } from '../../../../support/postgres-audit';
import { removeSharedPostgres, sharedPostgres, type PostgresServer } from '../../../../support/postgres-server';
import { numbersFrom } from '../../../../support/pseudo-random';

let server: PostgresServer;
let dsn: string;
let stores: readonly [OwnStore, OwnStore];

beforeAll(async () => {
  server = await sharedPostgres();
});
afterAll(removeSharedPostgres);
beforeEach(async () => {
  dsn = await server.newDatabase();
  const open = (): Promise<OwnStore> => openPostgresStore({ dsn, clock: SYSTEM_CLOCK });
  stores = [await open(), await open()];
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
});

/** Live records that share an address. */
function overlapsOf(records: readonly AddressRecord[]): readonly string[] {
  return records.flatMap((one, index) =>
    records
      .slice(index + 1)
      .filter((other) => blockOf(one).overlaps(blockOf(other)))
      .map((other) => `${addressText(one)} ${addressText(other)}`),
  );
}

const live = (): Promise<readonly AddressRecord[]> => stores[0].list({ by: 'pool', network: 'default', pool: 'z' });

describe('two stores on one database', () => {
  test('give space that overlaps to one of them, whatever its shape', async () => {
    for (let round = 0; round < 25; round++) {
      const net = `10.0.${round}`;
      const shapes = [`${net}.0/28`, `${net}.0/27`, `${net}.5`, `${net}.0/31`, `${net}.0`, `${net}.16/28`];
      const takes = shapes.flatMap((address, i) =>
        stores.map((store, s) => store.take(taking(`${round}-${i}-${s}`, { address }))),
      );
      const codes = (await Promise.all(takes)).flatMap((outcome) => (outcome.ok ? [] : [outcome.refusal.code]));
      expect(new Set(codes)).toEqual(new Set(['address/held']));
      expect(codes.length).toBeGreaterThanOrEqual(shapes.length);
    }
    expect(overlapsOf(await live())).toEqual([]);
    expect(await auditPostgres(server, dsn)).toEqual([]);
  });

  test('give each of them chosen prefixes and addresses of its own, until nothing is left', async () => {
    const space = spaceOf('10.0.0.0/24');
    const lengths = [30, undefined, 28, 29, undefined, 31];
    const calls = Array.from({ length: 120 }, (_, i) => {
      const length = lengths[i % lengths.length];
      return stores[i % 2]!.take(taking(`s${i}`, { space, ...(length === undefined ? {} : { length }) }));
    });
    const outcomes = await Promise.all(calls);
    const records = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value[0]!.record] : []));
    expect(overlapsOf(records)).toEqual([]);
    const refused = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.refusal.code]));
    expect(new Set(refused)).toEqual(new Set(['pool/exhausted']));
    // what is left over is too small for the smallest prefix that was refused
    expect(await auditPostgres(server, dsn)).toEqual([]);
  });

  test('agree with the tables after any mixture of takes, releases and quarantines', async () => {
    const next = numbersFrom(11);
    const below = (limit: number): number => next() % limit;
    const space = spaceOf('10.0.0.0/25', '10.0.1.0/27');
    const shape = (): Taking => {
      const length = [undefined, 31, 29, 28, 26][below(5)];
      const size = length === undefined ? 1 : 2 ** (32 - length);
      const address = `10.0.0.${below(128 / size) * size}${length === undefined ? '' : `/${length}`}`;
      if (below(3) === 0) return { space, address };
      return { space, ...(length === undefined ? {} : { length }) };
    };
    const caller = async (store: OwnStore, name: string): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        const outcome = await store.take(taking(`${name}-${i}`, shape()));
        if (!outcome.ok || below(4) === 0) continue;
        const pause = below(2) === 0 ? { quarantineMs: below(40) } : {};
        valueOf(await store.release(releasing(outcome.value[0]!.record, pause)));
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, i) => caller(stores[i % 2]!, `c${i}`)));
    expect(overlapsOf(await live())).toEqual([]);
    expect(await auditPostgres(server, dsn)).toEqual([]);
  });

  test('give a pair of families whole or not at all, while others take of the same space', async () => {
    const space = spaceOf('10.0.0.0/27', '2001:db8::/124');
    const both = (name: string, first: 4 | 6) => {
      const want = (family: 4 | 6) => ({ family, space, key: `${name} ${family}` });
      const { key: _key, ...holder } = taking(name).holder as { key?: string } & ReturnType<typeof taking>['holder'];
      const wants = [want(first), want(first === 4 ? 6 : 4)] as const;
      return { network: 'default', pool: 'z', wants, holder };
    };
    const takes = Array.from({ length: 40 }, (_, i) => stores[i % 2]!.take(both(`s${i}`, i % 3 === 0 ? 6 : 4)));
    const outcomes = await Promise.all(takes);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(16);
    const records = await live();
    expect(records.map(({ family }) => family).sort()).toEqual([
      ...new Array<4>(16).fill(4),
      ...new Array<6>(16).fill(6),
    ]);
    expect(await auditPostgres(server, dsn)).toEqual([]);
  });
});

describe('free ranges side by side', () => {
  test('are taken as one prefix, chosen or wished, and join again', async () => {
    const space = spaceOf('10.0.0.0/24');
    const records = [];
    for (const address of ['10.0.0.3', '10.0.0.70', '10.0.0.130', '10.0.0.200'])
      records.push(await taken(stores[0], address, { address }));
    expect(refusalOf(await stores[1].take(taking('all', { address: '10.0.0.0/24' }))).code).toBe('address/held');
    expect(refusalOf(await stores[1].take(taking('all', { space, length: 24 }))).code).toBe('pool/exhausted');
    for (const record of records) valueOf(await stores[0].release(releasing(record)));
    for (const how of [{ space, length: 24 }, { address: '10.0.0.0/24' }, { space, length: 24 }]) {
      const record = await taken(stores[1], 'all', how);
      expect(addressText(record)).toBe('10.0.0.0/24');
      valueOf(await stores[1].release(releasing(record)));
    }
    expect(
      await server.sql('SELECT host(first) AS first, host(last) AS last FROM ipam.free_range ORDER BY last', dsn),
    ).toEqual([
      { first: '0.0.0.0', last: '255.255.255.255' },
      { first: '::', last: 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff' },
    ]);
  });

  test('at both ends of a family can be taken and given back', async () => {
    for (const address of ['0.0.0.0/1', '128.0.0.0/1', '::/1', '8000::/1', '0.0.0.0/0', '::/0']) {
      const record = await taken(stores[0], address, { address });
      expect(addressText(record)).toBe(address);
      valueOf(await stores[0].release(releasing(record)));
    }
    expect(await auditPostgres(server, dsn)).toEqual([]);
  });
});
