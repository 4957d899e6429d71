import { parseAddress } from '../../../../../operator/addressing/address';
import { IP_NETWORK } from '../../../../../operator/contract/paas';
import { VipsDoorWorld } from '../../../../support/vips-door-world';

let world: VipsDoorWorld;

beforeEach(() => {
  world = new VipsDoorWorld();
  world.namespace('test');
});

afterEach(() => world.close());

const texts = (): readonly string[] =>
  world.controller.spaces.list().map(({ name, network = 'any', space }) => `${name} ${network} ${space.toString()}`);

/** Puts an address of a group on record. */
async function hold(pool: string, text: string): Promise<void> {
  const address = parseAddress(text);
  if (!address.ok) throw new TypeError(text);
  await world.controller.pools.take(
    { kind: 'IPGroup', namespace: '', name: pool, part: '' },
    {
      owner: {
        cluster: '',
        apiVersion: 'v1',
        kind: 'Test',
        namespace: 'test',
        namespaceUid: '',
        name: text,
        uid: text,
      },
      restored: address.value,
    },
  );
}

test('the groups are spaces of their networks, in use or not', async () => {
  world.group('a', { segment: '192.0.2.0/29', excludedIPs: ['192.0.2.1'] });
  world.group('b', { segment: '198.51.100.0/30', network: 'lan' });
  await world.open();
  await world.controller.compare();
  expect(texts()).toEqual(['a default 192.0.2.0-192.0.2.7', 'b lan 198.51.100.0-198.51.100.3']);
  const before = world.controller.spaces.list();
  expect(world.controller.spaces.list()).toBe(before);
});

test('a change of a group is told', async () => {
  world.group('a', { segment: '192.0.2.0/29' });
  await world.open();
  await world.controller.compare();
  const told = new Promise<void>((resolve) => {
    world.controller.spaces.onChange(resolve);
  });
  world.group('b', { segment: '198.51.100.0/30' });
  await told;
  expect(texts()).toHaveLength(2);
});

test('an IP of a group that is gone is space of any network, until it is free', async () => {
  world.group('a', { segment: '192.0.2.0/29' }, { uid: 'a' });
  await world.open();
  await world.controller.compare();
  await hold('a', '192.0.2.3');
  expect(texts()).toEqual(['a default 192.0.2.0-192.0.2.7']);
  const gone = new Promise<void>((resolve) => {
    world.controller.spaces.onChange(resolve);
  });
  world.removeGroup('a');
  await gone;
  expect(texts()).toEqual(['a any 192.0.2.3']);
  const freed = new Promise<void>((resolve) => {
    world.controller.spaces.onChange(resolve);
  });
  const [grant] = world.controller.pools.heldBy('Test');
  if (grant === undefined) throw new TypeError(IP_NETWORK);
  await world.controller.pools.release(grant);
  await freed;
  expect(texts()).toEqual([]);
});
