import type { ClientProps } from '../../../../../operator/contract/ipam-api/v3/clients';
import { IpamError } from '../../../../../operator/errors/ipam-error';
import { accept } from '../../../../../operator/errors/outcome';
import { settleShares } from '../../../../../operator/front-doors/ipam-api/v3/settle-shares';
import { SharedUses } from '../../../../../operator/ledger/occupied/shared-uses';
import { ask, claimant, granted, refusal } from '../../../../support/ledger-world';
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
  const listed = async (world: V3World, cluster = 'c1') =>
    (await usesOf(world.ledger.store).list({ by: 'cluster', cluster })).map(({ address }) => address.toString());

  test('counts what is reported still, within the share that it would have had in a zone', async () => {
    const world = new V3World({ clients: SHOWING_CLIENTS });
    const { ledger, logger, meter } = world;
    expect(await report(world, FUTURE)).toEqual([]);
    expect(await report(world, ['198.51.100.200', '203.0.113.9'], { as: 'c2' })).toEqual([]);
    const { book, registry, zones, clock, store } = ledger;
    const shown = new SharedUses({ uses: usesOf(store), book, registry, zones });
    const end = settleShares({ shown, zones, clients: { current: () => SHOWING_CLIENTS }, clock, logger, meter });
    ledger.zones.become(NEW);
    clock.advance(1);
    await logged(world, 'beyond the limit');
    await end();
    expect(await listed(world)).toEqual(FUTURE.slice(0, 128));
    expect(await listed(world, 'c2')).toEqual(['198.51.100.200', '203.0.113.9']);
    expect(refusal(await taken(world, 'wish', '198.51.100.5')).code).toBe('address/held');
    expect(refusal(await taken(world, 'own', '198.51.100.200')).code).toBe('address/held');
    expect(granted(await taken(world, 'choice')).address.toString()).toBe('198.51.100.128');
    const line = logger.lines.find(({ message }) => message.includes('beyond the limit'));
    expect(line).toMatchObject({ fields: { client: 'c1', cluster: 'c1', zone: 'new', addresses: 128 } });
    // what is reported again has no more room, and what is taken off makes some
    expect(await report(world, FUTURE)).toHaveLength(128);
    await report(world, FUTURE.slice(0, 8), { shows: false });
    expect(await report(world, FUTURE.slice(201, 209))).toEqual([]);
  });

  test('does so at the latest with the next complete report of the cluster, and after a fault of the store', async () => {
    const world = new V3World({ clients: QUARTER });
    await report(world, FUTURE);
    world.ledger.zones.become(NEW);
    const complete = (as: string) =>
      world.send('PUT', '/v3/clusters/c1/uses/complete', { as, body: { networks: ['default'] } });
    // an administrator has no share of its own
    expect((await complete('admin')).status).toBe(200);
    expect(await listed(world)).toHaveLength(256);
    expect((await complete('c1')).status).toBe(200);
    expect(await listed(world)).toEqual(FUTURE.slice(0, 4));
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
});
