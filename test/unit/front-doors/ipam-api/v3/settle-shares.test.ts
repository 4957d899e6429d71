import { addressOf } from '../../../../../operator/addressing/address';
import type { ClientProps } from '../../../../../operator/contract/ipam-api/v3/clients';
import { IpamError } from '../../../../../operator/errors/ipam-error';
import { accept, refuse } from '../../../../../operator/errors/outcome';
import { settleShares } from '../../../../../operator/front-doors/ipam-api/v3/settle-shares';
import { SharedUses } from '../../../../../operator/ledger/occupied/shared-uses';
import type { OccupiedAddresses } from '../../../../../operator/ports/occupied-addresses';
import { ask, claimant, granted, LedgerWorld, refusal } from '../../../../support/ledger-world';
import { usesOf } from '../../../../support/occupied-suite';
import { SHOWING_CLIENTS } from '../../../../support/remote-shown';
import { V3World } from '../../../../support/v3-world';

const USE = { source: 'Node/worker-1', weight: 'occupied' } as const;
const QUARTER: readonly ClientProps[] = SHOWING_CLIENTS.map((each) =>
  each.name === 'c1' ? { ...each, occupiedQuota: 4 } : each,
);

/** Sends differences of a cluster; returns those that are not on record. */
async function report(world: V3World, addresses: readonly string[], { as = 'c1', shows = true } = {}) {
  const changes = addresses.map((address) => ({ network: 'default', address, ...(shows ? { use: USE } : {}) }));
  const reply = await world.send('PATCH', `/v3/clusters/${as}/uses`, { body: { changes }, as });
  return reply.json['refused'] as readonly { readonly address: string }[];
}

/** Looks at the shares from now on; `looked` waits until that was done for a cluster, and ends it. */
function looks({ ledger, logger, meter }: V3World, clients: readonly ClientProps[], uses = usesOf(ledger.store)) {
  const { book, registry, zones, clock } = ledger;
  const shared = new SharedUses({ uses, book, registry, zones });
  const done = new Set<string>();
  const shown: Pick<SharedUses, 'settle'> = {
    settle: async (cluster, call) => {
      const settled = await shared.settle(cluster, call);
      if (settled.ok) done.add(cluster);
      return settled;
    },
  };
  const end = settleShares({ shown, zones, clients: { current: () => clients }, clock, logger, meter });
  const looked = async (cluster = 'c1'): Promise<void> => {
    clock.advance(1);
    while (!done.has(cluster)) await new Promise((resolve) => setImmediate(resolve));
    await end();
  };
  return { shared, looked };
}

/** Lists the addresses that a cluster shows so that they are never given out. */
async function occupied({ ledger }: V3World, cluster = 'c1'): Promise<readonly string[]> {
  const found = await usesOf(ledger.store).list({ by: 'cluster', cluster });
  return found.filter(({ weight }) => weight === 'occupied').map(({ address }) => address.toString());
}

async function logged({ logger }: V3World, words: string): Promise<void> {
  while (!logger.lines.some(({ message }) => message.includes(words))) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('FU-02 a prefix that becomes a zone after clusters reported addresses of it', () => {
  const FUTURE = Array.from({ length: 256 }, (_, i) => `198.51.100.${i}`);
  const NEW = [
    { name: 'z', prefixes: ['192.0.2.0/24'] },
    { name: 'new', prefixes: ['198.51.100.0/24'] },
  ];
  const taken = (world: V3World, name: string, at?: string) =>
    world.ledger.book.reserve(
      ask(claimant(`b/${name}`, { cluster: 'c2' }), { zone: 'new', ...(at === undefined ? {} : { at }) }),
    );
  test('counts what is reported still, within the share that it would have had in a zone', async () => {
    const world = new V3World({ clients: SHOWING_CLIENTS });
    const { ledger, logger } = world;
    expect(await report(world, FUTURE)).toEqual([]);
    expect(await report(world, ['198.51.100.200', '203.0.113.9'], { as: 'c2' })).toEqual([]);
    const { looked } = looks(world, SHOWING_CLIENTS);
    ledger.zones.become(NEW);
    await looked();
    expect(await occupied(world)).toEqual(FUTURE.slice(0, 128));
    expect(await occupied(world, 'c2')).toEqual(['198.51.100.200', '203.0.113.9']);
    expect(refusal(await taken(world, 'wish', '198.51.100.5')).code).toBe('address/held');
    expect(refusal(await taken(world, 'own', '198.51.100.200')).code).toBe('address/held');
    // what is beyond is chosen last, and given out where it is wished
    expect(granted(await taken(world, 'beyond', '198.51.100.130')).address.toString()).toBe('198.51.100.130');
    expect(granted(await taken(world, 'choice')).address.toString()).toBe('198.51.100.128');
    const line = logger.lines.find(({ message }) => message.includes('beyond the limit'));
    expect(line).toMatchObject({ fields: { client: 'c1', cluster: 'c1', zone: 'new', addresses: 128 } });
    // what is reported again has no more room, and what is taken off makes some
    expect(await report(world, FUTURE)).toHaveLength(128);
    await report(world, FUTURE.slice(0, 8), { shows: false });
    expect(await report(world, FUTURE.slice(201, 209))).toEqual([]);
  });

  test('counts so for a hostile cluster, too, that keeps as many calls open as may wait', async () => {
    const world = new V3World({ clients: SHOWING_CLIENTS });
    const { ledger } = world;
    expect(await report(world, FUTURE)).toEqual([]);
    const uses = usesOf(ledger.store);
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow: OccupiedAddresses = {
      write: async (change) => {
        await opened;
        return uses.write(change);
      },
      list: (query) => uses.list(query),
      complete: (complete) => uses.complete(complete),
      completeSince: (cluster) => uses.completeSince(cluster),
      met: (cluster) => uses.met(cluster),
      forget: (cluster) => uses.forget(cluster),
    };
    const { shared, looked } = looks(world, SHOWING_CLIENTS, slow);
    const changes = [{ network: 'default', address: addressOf('203.0.113.1'), use: USE }];
    const send = () => shared.write('c1', changes, { limits: {}, isLate: () => false });
    const calls = Array.from({ length: 8 }, send);
    expect(refusal(await send()).code).toBe('api/busy');
    ledger.zones.become(NEW);
    ledger.clock.advance(1);
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
    open();
    await Promise.all(calls);
    await looked();
    expect((await occupied(world)).filter((address) => address.startsWith('198.'))).toHaveLength(128);
  });

  test('does so at the latest with the next complete report of the cluster, and after a fault of the store', async () => {
    const world = new V3World({ clients: QUARTER });
    await report(world, FUTURE);
    world.ledger.zones.become(NEW);
    const complete = (as: string) =>
      world.send('PUT', '/v3/clusters/c1/uses/complete', { as, body: { networks: ['default'] } });
    // an administrator has no share of its own
    expect((await complete('admin')).status).toBe(200);
    expect(await occupied(world)).toHaveLength(256);
    expect((await complete('c1')).status).toBe(200);
    expect(await occupied(world)).toEqual(FUTURE.slice(0, 4));
    const { logger, meter, ledger } = world;
    const { clock, zones } = ledger;
    const asked: string[] = [];
    const shown = {
      settle: (cluster: string) => {
        asked.push(cluster);
        if (asked.length === 1) throw new IpamError('store/unavailable', 'away');
        return Promise.resolve(accept([]));
      },
    };
    const end = settleShares({ shown, zones, clients: { current: () => QUARTER }, clock, logger, meter });
    clock.advance(1);
    await logged(world, 'tried again');
    clock.advance(5_000);
    while (asked.length < 4) await new Promise((resolve) => setImmediate(resolve));
    await end();
    expect(asked).toEqual(['c1', 'c1', 'c2', 'c3']);
  });

  test('is looked at again after a refusal', async () => {
    const { ledger, logger, meter } = new V3World({ clients: QUARTER });
    const { clock, zones } = ledger;
    const asked: string[] = [];
    const shown = {
      settle: (cluster: string) => {
        asked.push(cluster);
        return Promise.resolve(asked.length === 1 ? refuse('api/busy', 'later') : accept([]));
      },
    };
    const end = settleShares({ shown, zones, clients: { current: () => QUARTER }, clock, logger, meter });
    const count = async (least: number): Promise<void> => {
      while (asked.length < least) await new Promise((resolve) => setImmediate(resolve));
    };
    clock.advance(1);
    await count(3);
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(5_000);
    await count(6);
    await end();
    expect(asked).toEqual(['c1', 'c2', 'c3', 'c1', 'c2', 'c3']);
  });
});

describe('FU-02 what honest clusters have on record', () => {
  const NODES = Array.from({ length: 100 }, (_, i) => `192.0.2.${i}`);

  test('stays in full as far as the widest of their operators may report, whatever other clients there are', async () => {
    const own = (name: string, more: Partial<ClientProps>): ClientProps => {
      const [first] = SHOWING_CLIENTS;
      const tokenSha256 = name === 'c1' ? (first?.tokenSha256 ?? []) : [];
      return { name, role: 'cluster', clusterUids: ['c1'], tokenSha256, ...more };
    };
    const clients = [
      own('ci', {}),
      own('spare', { operator: true }),
      own('c1', { operator: true, occupiedQuota: 3_000 }),
      own('job', { occupiedQuota: 200_000 }),
    ];
    const world = new V3World({ clients, ledger: new LedgerWorld([{ name: 'z', prefixes: ['192.0.0.0/16'] }]) });
    const many = Array.from({ length: 2_000 }, (_, i) => `192.0.${2 + Math.floor(i / 250)}.${i % 250}`);
    for (let at = 0; at < many.length; at += 250) expect(await report(world, many.slice(at, at + 250))).toEqual([]);
    await looks(world, clients).looked();
    expect(await occupied(world)).toHaveLength(2_000);
    const body = { networks: ['default'] };
    expect((await world.send('PUT', '/v3/clusters/c1/uses/complete', { as: 'c1', body })).status).toBe(200);
    expect(await occupied(world)).toHaveLength(2_000);
    // the quota of a client whose word does not count is none
    await looks(world, [own('c1', { operator: true }), own('job', { occupiedQuota: 200_000 })]).looked();
    expect(await occupied(world)).toHaveLength(1_024);
  });

  test('stays on record where their zone is split, and nothing of it is chosen while anything else is free', async () => {
    const world = new V3World({
      clients: SHOWING_CLIENTS,
      ledger: new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/24'] }]),
    });
    const { ledger } = world;
    expect(await report(world, NODES)).toEqual([]);
    const { looked } = looks(world, SHOWING_CLIENTS);
    ledger.zones.become([
      { name: 'z', prefixes: ['192.0.2.0/25'] },
      { name: 'upper', prefixes: ['192.0.2.128/25'] },
    ]);
    await looked();
    const found = await usesOf(ledger.store).list({ by: 'cluster', cluster: 'c1' });
    expect(found.map(({ address }) => address.toString())).toEqual(NODES);
    expect(found.every(({ source }) => source === USE.source)).toBe(true);
    expect(await occupied(world)).toEqual(NODES.slice(0, 64));
    const chosen: string[] = [];
    for (let i = 0; i < 28; i++) {
      const who = claimant(`b/web-${i}`, { cluster: 'c2' });
      chosen.push(granted(await ledger.book.reserve(ask(who))).address.toString());
    }
    expect(chosen).toEqual(Array.from({ length: 28 }, (_, i) => `192.0.2.${100 + i}`));
  });
});
