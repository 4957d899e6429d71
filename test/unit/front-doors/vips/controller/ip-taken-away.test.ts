import { setImmediate } from 'node:timers/promises';
import type { ApiAnswer, ApiRequest } from '../../../../../operator/cluster/api/api-client';
import { VipsDoorWorld } from '../../../../support/vips-door-world';

const IPS = '/apis/paas.org/v1/ips';
const SHARED = { 'paas.org/sharing-key': 'k' };
/** Turns of the event loop: far more than an answer of the API server in memory takes. */
const TURNS = 5_000;

/** Holders of an IP, by the names of their Services. */
function holdersOf(world: VipsDoorWorld, address: string): readonly unknown[] {
  return ((world.ip(address)?.['holders'] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
}

describe('R8 R9 an IP that is taken away past the policy', () => {
  let world: VipsDoorWorld;
  beforeEach(async () => {
    world = new VipsDoorWorld();
    world.namespace('test');
    world.group('g', { segment: '192.0.2.0/30' });
    await world.open();
    world.lead();
  });
  afterEach(() => world.close());

  async function until(isSo: () => boolean): Promise<void> {
    for (let turn = 0; turn < TURNS && !isSo(); turn++) await setImmediate();
    if (!isSo()) throw new RangeError('it did not come');
  }
  const waits = (name: string, reason: string) => until(() => world.condition(name)?.['reason'] === reason);
  const shows = (name: string, address: string) => until(() => world.shown(name) === address);

  /** Does something before the first request that is meant is carried out, or after it, and before it is answered. */
  function at(isMeant: (request: ApiRequest) => boolean, act: (send: () => Promise<ApiAnswer>) => Promise<ApiAnswer>) {
    let isDone = false;
    world.server.intercept = async (request) => {
      if (isDone || !isMeant(request)) return undefined;
      isDone = true;
      return act(() => world.server.request(request));
    };
  }

  /** Takes the IP of two Services away that share no more; `b` was the first one. */
  async function takenFromSharers(): Promise<void> {
    world.service('b', { annotations: SHARED });
    await shows('b', '192.0.2.0');
    world.service('a', { annotations: SHARED, ports: [81] });
    await shows('a', '192.0.2.0');
    world.annotate('b', {});
    await waits('a', 'Conflict');
    world.server.remove(`${IPS}/192.0.2.0`);
  }
  const isStatusOf =
    (name: string) =>
    ({ method, path }: ApiRequest): boolean =>
      method === 'PATCH' && path.endsWith(`/services/${name}/status`);

  test.each([
    ['takes any address', '', '192.0.2.1', 'Allocated'],
    ['wishes that address', '192.0.2.0', '', 'RequestedAddressInUse'],
  ])(
    'while the status is under way comes back, and another Service that %s does not get it',
    async (_what, wish, ...[address = '', reason = '']) => {
      at(isStatusOf('a'), async (send) => {
        world.server.remove(`${IPS}/192.0.2.0`);
        world.service('b', wish === '' ? {} : { annotations: { 'paas.org/addresses': wish } });
        await waits('b', reason);
        return send();
      });
      world.service('a');
      await shows('a', '192.0.2.0');
      await until(() => holdersOf(world, '192.0.2.0').length > 0);
      expect([world.shown('b'), holdersOf(world, '192.0.2.0')]).toEqual([address, ['a']]);
    },
  );

  test('before its creation is answered is made again before the status tells the address', async () => {
    at(
      ({ method, path }) => method === 'POST' && path === IPS,
      async (send) => {
        const answer = await send();
        world.server.remove(`${IPS}/192.0.2.0`);
        return answer;
      },
    );
    const stored = world.server.put.bind(world.server);
    const bare: string[] = [];
    world.server.put = (path, object) => {
      const after = stored(path, object);
      if (world.shown('a') !== '' && holdersOf(world, world.shown('a')).length === 0) bare.push(path);
      return after;
    };
    world.service('a');
    await waits('a', 'Allocated');
    expect([world.shown('a'), holdersOf(world, world.shown('a')), bare]).toEqual(['192.0.2.0', ['a'], []]);
  });

  test('and was made by hand for another Service leaves the address where it is, and says so', async () => {
    world.service('a');
    await shows('a', '192.0.2.0');
    world.server.remove(`${IPS}/192.0.2.0`);
    world.held('192.0.2.0', { group: 'g', name: 'b' });
    world.service('b');
    await shows('b', '192.0.2.1');
    await until(() => holdersOf(world, '192.0.2.0').join() === 'a');
    await waits('a', 'Allocated');
    expect(world.shown('a')).toBe('192.0.2.0');
  });

  test('REQ-03 of Services that share it against the rules, comes back for the one that came first', async () => {
    await takenFromSharers();
    await until(() => holdersOf(world, '192.0.2.0').length > 0);
    await until(() => String(world.condition('a')?.['message']).includes('is shown, but test/b has it'));
    expect(holdersOf(world, '192.0.2.0')).toEqual(['b']);
    expect([world.shown('a'), world.shown('b'), world.condition('b')?.['reason']]).toEqual([
      ...['192.0.2.0', '192.0.2.0', 'Allocated'],
    ]);
    world.annotate('b', SHARED);
    await waits('a', 'Allocated');
    expect(holdersOf(world, '192.0.2.0')).toEqual(['b', 'a']);
  });

  test('REQ-03 goes to the next one that shows it when the first one goes', async () => {
    await takenFromSharers();
    await until(() => holdersOf(world, '192.0.2.0').join() === 'b');
    world.removeService('b');
    await until(() => holdersOf(world, '192.0.2.0').join() === 'a');
    await waits('a', 'Allocated');
    expect(world.shown('a')).toBe('192.0.2.0');
  });
});

test('R8 R9 of Services that show one address without an IP, the older one has it on record after a start', async () => {
  const world = new VipsDoorWorld();
  world.namespace('test');
  world.group('g', { segment: '192.0.2.0/30' });
  const keys = ['b', 'a'].map((name) => world.service(name, { shows: '192.0.2.0' }));
  const path = '/api/v1/namespaces/test/services/b';
  const older = world.server.get(path) ?? {};
  const metadata = { ...(older['metadata'] as object), creationTimestamp: '2025-01-01T00:00:00Z' };
  world.server.put(path, { ...older, metadata });
  await world.open();
  try {
    await world.controller.compare();
    for (const key of keys) await world.controller.reconcile(key);
    expect(holdersOf(world, '192.0.2.0')).toEqual(['b']);
    expect([world.condition('b')?.['reason'], world.condition('a')?.['reason']]).toEqual(['Allocated', 'Conflict']);
    expect([world.shown('a'), world.shown('b')]).toEqual(['192.0.2.0', '192.0.2.0']);
  } finally {
    await world.close();
  }
});
