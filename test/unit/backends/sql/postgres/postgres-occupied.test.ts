import { addressOf } from '../../../../../operator/addressing/address';
import { openPostgresStore } from '../../../../../operator/backends/sql/postgres/postgres-claim-store';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import type { AddressRecord } from '../../../../../operator/ports/claims';
import { addressText, at, holderOf, ownerOf, releasing, spaceOf, taking } from '../../../../support/claim-requests';
import { leaves, shows, usesOf } from '../../../../support/occupied-suite';
import { auditPostgres } from '../../../../support/postgres-audit';
import { removeSharedPostgres, sharedPostgres, type PostgresServer } from '../../../../support/postgres-server';

type Store = Awaited<ReturnType<typeof openPostgresStore>>;

const SPACE = spaceOf('10.0.0.0/26');
const ADDRESSES = Array.from({ length: 64 }, (_, i) => `10.0.0.${i}`);

let server: PostgresServer;
beforeAll(async () => {
  server = await sharedPostgres();
});
afterAll(removeSharedPostgres);

/** Numbers that look random and are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

async function takeAndLeave(store: Pick<Store, 'take' | 'release'>, name: string): Promise<void> {
  const random = numbers(name.length * 7 + name.charCodeAt(1));
  for (let i = 0; i < 60; i++) {
    const wish = random(2) === 0 ? {} : { address: ADDRESSES[random(64)]! };
    const holder = holderOf(`${name}-${i}`, {
      owner: ownerOf(`${name}-${i}`, { cluster: name.startsWith('a') ? 'c1' : 'c2' }),
    });
    const taken = await store.take(taking(name, { space: SPACE, holder, ...wish }));
    const record = taken.ok ? taken.value[0]?.record : undefined;
    if (record !== undefined && random(4) > 0)
      await store.release(releasing(record, random(2) === 0 ? {} : { quarantineMs: 5 }));
  }
}

async function flicker(store: Store, cluster: string): Promise<void> {
  const random = numbers(cluster.charCodeAt(1) * 31);
  for (let i = 0; i < 120; i++) {
    // the upper half stays free of what lasts
    const address = ADDRESSES[32 + random(32)]!;
    const weight = random(3) === 0 ? 'avoided' : 'occupied';
    const use = { source: `Service/x/${random(3)}`, weight } as const;
    await usesOf(store).write(random(2) === 0 ? leaves(address, cluster) : shows(address, { cluster, use }));
  }
}

test('FU-02: three replicas and two clusters race: what is in use is never given, and nothing leaks', async () => {
  const dsn = await server.newDatabase();
  const stores = await Promise.all([1, 2, 3].map(() => openPostgresStore({ dsn, clock: SYSTEM_CLOCK })));
  const [one, two, three] = stores as [Store, Store, Store];
  const lasting = new Set<string>();
  const wrong: string[] = [];
  const given = (began: ReadonlySet<string>) => (record: AddressRecord) => {
    if (began.has(addressText(record))) wrong.push(addressText(record));
  };
  const occupy = async (places: readonly number[]): Promise<void> => {
    for (const i of places) {
      const address = ADDRESSES[i * 2]!;
      await usesOf(three).write(shows(address, { cluster: 'c2' }));
      const record = await three.get(at(address));
      // a claim that was there before stays until it ends
      if (record?.state === 'foreign') lasting.add(address);
    }
  };
  // every take looks at the set as it was before it began
  const taker = async (store: Store, name: string): Promise<void> => {
    await takeAndLeave(
      {
        take: async (request) => {
          const began = new Set(lasting);
          const answer = await store.take(request);
          if (answer.ok) for (const { record } of answer.value) given(began)(record);
          return answer;
        },
        release: (request) => store.release(request),
      },
      name,
    );
  };
  const places = Array.from({ length: 16 }, (_, i) => i);
  // the takers may be first everywhere else
  await occupy(places.slice(0, 2));
  await Promise.all([
    ...[taker(one, 'a1'), taker(two, 'a2'), taker(three, 'b3'), taker(one, 'b4')],
    ...[flicker(one, 'c1'), flicker(two, 'c2'), occupy(places.slice(2))],
  ]);
  expect(wrong).toEqual([]);
  expect(lasting.size).toBeGreaterThanOrEqual(2);
  // ends of quarantines are noticed by a take that finds nothing else
  await new Promise((resolve) => setTimeout(resolve, 20));
  await one.take(taking('last', { space: spaceOf('10.9.0.0/32') }));
  expect(await auditPostgres(server, dsn)).toEqual([]);
  const uses = [
    ...(await usesOf(one).list({ by: 'cluster', cluster: 'c1' })),
    ...(await usesOf(one).list({ by: 'cluster', cluster: 'c2' })),
  ];
  const states = await Promise.all(
    uses
      .filter(({ weight }) => weight === 'occupied')
      .map(async ({ network, address }) => (await two.get({ network, address }))?.state),
  );
  expect(new Set(states)).toEqual(new Set(states.includes('held') ? ['foreign', 'held'] : ['foreign']));
  await Promise.all(stores.map((store) => store.close()));
});

test('FU-02: an address that becomes free for one replica is told to the others', async () => {
  const dsn = await server.newDatabase();
  const [one, two] = await Promise.all([1, 2].map(() => openPostgresStore({ dsn, clock: SYSTEM_CLOCK, pollMs: 50 })));
  await usesOf(one!).write(shows('10.0.0.1'));
  const freed = new Promise<string>((resolve) => {
    two!.watch(({ kind, address }) => {
      if (kind === 'freed') resolve(address.toString());
    });
  });
  await usesOf(one!).write(leaves('10.0.0.1'));
  expect(await freed).toBe('10.0.0.1');
  expect(await two!.get({ network: 'default', address: addressOf('10.0.0.1') })).toBeUndefined();
  await Promise.all([one!.close(), two!.close()]);
});
