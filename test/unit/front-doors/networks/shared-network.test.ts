import { NEPHIO, NETWORK_ANNOTATIONS } from '../../../../operator/contract/nephio';
import { NetworksController } from '../../../../operator/front-doors/networks';
import { NetworksWorld } from '../../../support/networks-world';

let world: NetworksWorld;

/** Two instances that name one network of the other doors, with a subnet each. */
beforeEach(() => {
  world = new NetworksWorld();
  const annotations = { [NETWORK_ANNOTATIONS.network]: 'shared' };
  world.instance('vpc-1', { annotations });
  world.instance('vpc-2', { annotations });
});

afterEach(() => world.close());

test('an older IPPrefix does not move onto what another instance has on record', async () => {
  world.prefix('p1', '10.0.1.1/24', { network: 'net1' });
  world.prefix('p2', '10.0.2.1/24', { network: 'net2', networkInstance: 'vpc-2' });
  await world.open();
  await world.ready('prefix', 'p1');
  await world.ready('prefix', 'p2');
  world.change('prefix', 'p1', { spec: { prefix: '10.0.2.1/24' } });
  expect(await world.refused('prefix', 'p1', 'PrefixOverlap')).toContain('IPPrefix default/p2');
  expect(world.record().filter((each) => each.startsWith('10.0.2.0/24'))).toEqual(['10.0.2.0/24=vpc-2']);
  await world.remove('prefix', 'p2');
  await world.ready('prefix', 'p1', '10.0.2.1/24');
});

test('of two new ones the older one comes first, and its end wakes the other one', async () => {
  world.prefix('p1', '10.0.1.1/24', { network: 'net1' });
  world.prefix('p2', '10.0.0.0/16', { kind: 'pool', networkInstance: 'vpc-2' });
  await world.open();
  await world.ready('prefix', 'p1');
  expect(await world.refused('prefix', 'p2', 'PrefixOverlap')).toContain('IPPrefix default/p1');
  await world.remove('prefix', 'p1');
  await world.ready('prefix', 'p2', '10.0.0.0/16');
});

test('an IPPrefix that moves away wakes the one that it kept out', async () => {
  world.prefix('p1', '10.0.1.1/24', { network: 'net1' });
  world.prefix('p2', '10.0.1.1/24', { network: 'net2', networkInstance: 'vpc-2' });
  await world.open();
  await world.ready('prefix', 'p1');
  await world.refused('prefix', 'p2', 'PrefixOverlap');
  world.change('prefix', 'p1', { spec: { prefix: '10.0.3.1/24' } });
  await world.ready('prefix', 'p1', '10.0.3.1/24');
  expect(await world.ready('prefix', 'p2', '10.0.1.1/24')).toHaveProperty('prefix');
});

test('a wish inside of an own pool is not refused for a younger prefix that never came on record', async () => {
  world.prefix('pool', '10.0.0.0/16', { kind: 'pool' });
  world.prefix('p2', '10.0.1.1/24', { network: 'net2', networkInstance: 'vpc-2' });
  await world.open();
  await world.ready('prefix', 'pool');
  await world.refused('prefix', 'p2', 'PrefixOverlap');
  const selector = { matchLabels: { 'nephio.org/network-instance': 'vpc-1' } };
  world.allocation('a1', { kind: 'pool', prefix: '10.0.1.0/28', selector });
  expect(await world.ready('allocation', 'a1')).toMatchObject({ prefix: '10.0.1.0/28' });
});

test('a change of the space of another door looks at nothing that shares no network', async () => {
  world.instance('vpc-3');
  world.prefix('full', '10.0.1.0/31', { network: 'net1', networkInstance: 'vpc-3' });
  world.prefix('shared', '10.0.1.0/31', { network: 'net1' });
  await world.open();
  await world.ready('prefix', 'full');
  await world.ready('prefix', 'shared');
  for (const instance of ['vpc-1', 'vpc-3']) {
    const matchLabels = { [NEPHIO.networkInstance]: instance, [NEPHIO.networkName]: 'net1' };
    for (const name of [`${instance}-a`, `${instance}-b`]) world.allocation(name, { selector: { matchLabels } });
    await world.refused('allocation', `${instance}-b`, 'PoolExhausted');
  }
  await world.ready('allocation', 'vpc-3-a');
  // counters that are about to be written would look at objects again
  await new Promise((resolve) => setTimeout(resolve, 700));
  const looks = jest.spyOn(NetworksController.prototype, 'reconcile');
  world.poolsChange();
  await world.until('it is looked at what waits', () => looks.mock.calls.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(looks.mock.calls.map(([key]) => (key.of === 'orphan' ? '' : key.name))).toEqual(['vpc-1-b']);
  looks.mockRestore();
});

test('the gauge of an instance goes with it', async () => {
  world.instance('vpc-3');
  await world.open();
  await world.ready('instance', 'vpc-3');
  const shown = () => world.meter.of('network_entries').map(({ labels }) => labels['instance']);
  expect(shown()).toContain('default/vpc-3');
  await world.remove('instance', 'vpc-3');
  await world.gone('instance', 'vpc-3');
  await world.until('its gauge is gone', () => !shown().includes('default/vpc-3'));
  expect(shown()).toContain('default/vpc-1');
});
