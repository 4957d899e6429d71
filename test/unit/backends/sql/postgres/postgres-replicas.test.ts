import type { PostgresStoreOptions } from '../../../../../operator/backends/sql/postgres/postgres-calls';
import { openPostgresStore } from '../../../../../operator/backends/sql/postgres/postgres-claim-store';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { valueOf } from '../../../../../operator/errors/ipam-error';
import type { ClaimChange } from '../../../../../operator/ports/claims';
import type { OwnStore } from '../../../../../operator/ports/store';
import {
  addressText,
  binding,
  firstHolder,
  holderOf,
  leaseOf,
  refusalOf,
  placeOf,
  releasing,
  spaceOf,
  taken,
  takenOf,
  taking,
  takingBoth,
} from '../../../../support/claim-requests';
import { auditPostgres } from '../../../../support/postgres-audit';
import { removeSharedPostgres, sharedPostgres, type PostgresServer } from '../../../../support/postgres-server';
import { numbersFrom } from '../../../../support/pseudo-random';

let server: PostgresServer;
let dsn: string;
let stores: OwnStore[];

const openStores = (count: number, options: Partial<PostgresStoreOptions> = {}): Promise<OwnStore[]> =>
  Promise.all(
    Array.from({ length: count }, () => openPostgresStore({ dsn, clock: SYSTEM_CLOCK, pollMs: 20, ...options })),
  );

beforeAll(async () => {
  server = await sharedPostgres();
});
afterAll(removeSharedPostgres);
beforeEach(async () => {
  dsn = await server.newDatabase();
  stores = await openStores(2);
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
});

describe('two stores on one database', () => {
  test('FU-05 leave nothing under a name that one of them renames while the other takes', async () => {
    const [one, two] = stores as [OwnStore, OwnStore];
    await taken(one, 'web');
    const space = spaceOf('10.0.0.0/24');
    const takes = (from: number) =>
      Array.from({ length: 40 }, (_, i) => [one, two][i % 2]!.take(taking(`s${String(from + i)}`, { space })));
    const outcomes = takes(0);
    const renamed = two.renameCluster({ from: 'c1', to: 'c9', keys: [] });
    outcomes.push(...takes(40));
    const codes = new Set((await Promise.all(outcomes)).map((each) => (each.ok ? 'taken' : each.refusal.code)));
    expect((await renamed).ok).toBe(true);
    outcomes.push(...takes(80));
    const last = await Promise.all(outcomes.slice(80));
    expect(last.map((each) => (each.ok ? 'taken' : each.refusal.code))).toEqual(Array(40).fill('cluster/renamed'));
    codes.delete('taken');
    expect([...codes].filter((code) => code !== 'cluster/renamed')).toEqual([]);
    expect(await one.list({ by: 'cluster', cluster: 'c1' })).toEqual([]);
    expect(await auditPostgres(server, dsn)).toEqual([]);
  });

  test('FU-05 let one of many that begin at once claim an identity', async () => {
    const [one, two] = stores as [OwnStore, OwnStore];
    const kept = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        [one, two][i % 2]!.note({ name: 'origin:c1', text: `uid-${String(i)}`, expected: '' }),
      ),
    );
    expect(new Set(kept).size).toBe(1);
  });

  test('S5 give each address of a small pool once, and refuse only what is left over', async () => {
    const space = spaceOf('10.0.0.0/25');
    const calls = Array.from({ length: 160 }, (_, i) => stores[i % 2]!.take(taking(`s${i}`, { space })));
    const outcomes = await Promise.all(calls);
    const given = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value[0]!.record.address.toString()] : []));
    expect([given.length, new Set(given).size]).toEqual([128, 128]);
    const refused = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.refusal.code]));
    expect(new Set(refused)).toEqual(new Set(['pool/exhausted']));
    expect(await auditPostgres(server, dsn)).toEqual([]);
  });

  test('W-02 give one address for one key that both are asked for', async () => {
    for (let round = 0; round < 20; round++) {
      const request = taking(`s${round}`, { space: spaceOf('10.0.0.0/24') });
      const [one, other] = await Promise.all(stores.map((store) => takenOf(store, request)));
      expect(one!.record).toEqual(other!.record);
      expect([one!.created, other!.created].sort()).toEqual([false, true]);
    }
  });

  test('FU-92 take once for a new owner that both are asked for at once, without a key, of both families', async () => {
    const space = spaceOf('10.0.0.0/24', '2001:db8::/120');
    for (let round = 0; round < 20; round++) {
      const holder = leaseOf(`s${round}`, 60_000);
      const unless = [{ by: 'owner', owner: holder.owner }] as const;
      const request = { ...takingBoth(`s${round}`, { space, holder }), unless };
      const answers = await Promise.all([...stores, ...stores].map((store) => store.takeFirst!(request)));
      expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
      expect(await stores[0]!.list(unless[0])).toHaveLength(2);
    }
    expect(await auditPostgres(server, dsn)).toEqual([]);
  });

  test('give one wished address to one caller', async () => {
    for (let i = 0; i < 8; i++) {
      const address = `10.0.0.${i}`;
      const outcomes = await Promise.all(stores.map((store, s) => store.take(taking(`${i}-${s}`, { address }))));
      expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true]);
      expect(refusalOf(outcomes.find(({ ok }) => !ok)!).code).toBe('address/held');
    }
  });

  test('keep a quota and a limit of reservations together', async () => {
    const space = spaceOf('10.0.0.0/24');
    const limited = (i: number) => taking(`s${i}`, { space, holder: leaseOf(`s${i}`, 9), maxReservedInNamespace: 7 });
    const reserved = await Promise.all(Array.from({ length: 30 }, (_, i) => stores[i % 2]!.take(limited(i))));
    const quota = { space, pool: 'y', poolQuota: 5 };
    const bound = await Promise.all(Array.from({ length: 30 }, (_, i) => stores[i % 2]!.take(taking(`q${i}`, quota))));
    expect([reserved, bound].map((all) => all.filter(({ ok }) => ok).length)).toEqual([7, 5]);
  });

  test('W-13 lose neither of two joiners', async () => {
    let record = await taken(stores[0]!, 'first');
    for (let round = 0; round < 10; round++) {
      const joins = await Promise.all(stores.map((store, s) => store.bind(binding(record, holderOf(`${round}-${s}`)))));
      expect(joins.map(({ ok }) => ok).sort()).toEqual([false, true]);
      record = valueOf(joins.find(({ ok }) => ok)!);
    }
    expect(record.holders).toHaveLength(11);
  });

  test('S5 agree with the tables after any mixture of takes, releases and quarantines', async () => {
    const next = numbersFrom(7);
    const below = (limit: number): number => next() % limit;
    const space = spaceOf('10.0.0.0/26', '10.0.1.0/30');
    const caller = async (store: OwnStore, name: string): Promise<void> => {
      for (let i = 0; i < 25; i++) {
        const wish = below(4) === 0 ? { address: `10.0.0.${below(64)}` } : {};
        const outcome = await store.take(taking(`${name}-${i}`, { space, ...wish }));
        if (!outcome.ok || below(3) === 0) continue;
        const pause = below(2) === 0 ? { quarantineMs: 5 } : {};
        valueOf(await store.release(releasing(outcome.value[0]!.record, pause)));
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, i) => caller(stores[i % 2]!, `c${i}`)));
    expect(await auditPostgres(server, dsn)).toEqual([]);
  });

  test('take from blocks of their own once a range was cut', async () => {
    const space = spaceOf('10.0.0.0/16');
    await taken(stores[0]!, 'first', { space });
    const rows = await server.sql(
      'SELECT host(first) AS first, host(last) AS last FROM ipam.free_range f ORDER BY f.last',
      dsn,
    );
    expect(rows.slice(1, 3)).toEqual([
      { first: '10.0.0.1', last: '10.0.0.63' },
      { first: '10.0.0.64', last: '255.255.255.255' },
    ]);
  });

  test('go round a block that somebody works on', async () => {
    const space = spaceOf('10.0.0.0/16');
    await taken(stores[0]!, 'first', { space });
    const locked = server.sql(
      "BEGIN; SELECT FROM ipam.free_range WHERE last = '10.0.0.63' FOR UPDATE; SELECT pg_sleep(600); COMMIT",
      dsn,
    );
    const seen = async (): Promise<boolean> =>
      (await server.sql("SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'", dsn)).length > 0;
    while (!(await seen()));
    expect(addressText(await taken(stores[1]!, 'second', { space }))).toBe('10.0.0.64');
    await server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'", dsn);
    await expect(locked).rejects.toThrow();
    expect(addressText(await taken(stores[1]!, 'third', { space }))).toBe('10.0.0.1');
  });

  test('tell changes of each other, each once and the own ones at once', async () => {
    const told: string[][] = [[], []];
    const text = ({ kind, address }: ClaimChange): string => `${kind} ${address.toString()}`;
    const heard = stores.map(
      (store, s) =>
        new Promise<void>((resolve) => {
          store.watch((change) => {
            told[s]!.push(text(change));
            // own changes overtake those of others
            if (told[s]!.length === 5) resolve();
          });
        }),
    );
    const first = await taken(stores[0]!, 'a');
    expect(told[0]).toEqual(['taken 10.0.0.0']);
    const second = await taken(stores[1]!, 'b');
    await stores[0]!.release(releasing(first, { quarantineMs: 9 }));
    await stores[1]!.bind(binding(second, holderOf('c'), { holderId: firstHolder(second).id }));
    await stores[0]!.release(releasing((await stores[0]!.get(placeOf(second)))!));
    await Promise.all(heard);
    const all = ['changed 10.0.0.0', 'changed 10.0.0.1', 'freed 10.0.0.1', 'taken 10.0.0.0', 'taken 10.0.0.1'];
    expect(told.map((each) => [...each].sort())).toEqual([all, all]);
  });

  test('give an address again at once that the other one released', async () => {
    const space = spaceOf('10.0.0.0/32');
    const record = await taken(stores[0]!, 'a', { space });
    expect(refusalOf(await stores[1]!.take(taking('b', { space }))).code).toBe('pool/exhausted');
    await stores[0]!.release(releasing(record));
    expect(addressText(await taken(stores[1]!, 'b', { space }))).toBe('10.0.0.0');
  });

  test('agree on the first fingerprint of the key', async () => {
    await taken(stores[0]!, 'a');
    await stores[0]!.release(releasing((await stores[0]!.list({ by: 'cluster', cluster: 'c1' }))[0]!));
    await stores[0]!.keyFingerprint('one');
    await taken(stores[1]!, 'b');
    expect(await Promise.all(stores.map((store) => store.keyFingerprint('two')))).toEqual(['one', 'one']);
  });
});
