import { prefixOf } from '../../../../operator/addressing/prefix';
import { PrefixSet } from '../../../../operator/addressing/prefix-set';
import { NETWORK_ANNOTATIONS } from '../../../../operator/contract/nephio';
import { textOf } from '../../../../operator/contract/loose-json';
import { NetworksWorld } from '../../../support/networks-world';

let world: NetworksWorld;

/** An instance in network `shared` of the other doors, and one in a network of its own, with the same subnet. */
beforeEach(async () => {
  world = new NetworksWorld();
  world.instance('vpc-1', { annotations: { [NETWORK_ANNOTATIONS.network]: 'shared' } });
  world.prefix('p1', '10.0.1.0/29', { network: 'net1' });
  await world.open();
  await world.ready('prefix', 'p1');
});

afterEach(() => world.close());

const spaceOf = (...texts: readonly string[]) => PrefixSet.of(...texts.map((text) => prefixOf(text)));
const overlap = (): string => textOf(world.condition('prefix', 'p1', 'OverlapsOtherDoor')?.['message']);

test('the space of a stronger pool is never given, and the IPPrefix names the pool until it is gone', async () => {
  expect(overlap()).toBe('');
  world.poolsChange([
    { network: 'shared', name: 'web', space: spaceOf('10.0.1.0/30') },
    { network: 'other', name: 'lan', space: spaceOf('10.0.1.0/29') },
  ]);
  await world.until('the IPPrefix names the pool', () => overlap() !== '');
  expect(overlap()).toBe('addresses of IPZone web lie in it; they are not given out');
  for (const name of ['a', 'b', 'c']) world.allocation(name);
  await world.ready('allocation', 'a', '10.0.1.4/32');
  world.allocation('wish', { prefix: '10.0.1.2/29' });
  expect(await world.refused('allocation', 'wish', 'AddressHeld')).toContain('IPZone web has it');
  world.allocation('d');
  await world.refused('allocation', 'd', 'PoolExhausted');
  world.poolsChange([]);
  await world.ready('allocation', 'wish', '10.0.1.2/29');
  await world.ready('allocation', 'd');
  await world.until('the IPPrefix names none', () => overlap() === '');
});

test('a pool of which the network is not known is space of every network', async () => {
  world.poolsChange([{ name: 'gone', space: spaceOf('10.0.1.0/30') }]);
  world.allocation('a');
  expect(await world.ready('allocation', 'a', '10.0.1.4/32')).toHaveProperty('parentPrefix', '10.0.1.0/29');
});

test('an AddressClaim of another door in the network is never given, and wakes those that wait once it is gone', async () => {
  const path = world.otherClaim('shared', '10.0.1.1');
  world.otherClaim('elsewhere', '10.0.1.2');
  await world.until('the IPPrefix names the claim', () => overlap().includes('Namespace shop'));
  world.allocation('a');
  await world.ready('allocation', 'a', '10.0.1.2/32');
  world.allocation('wish', { prefix: '10.0.1.1/29' });
  expect(await world.refused('allocation', 'wish', 'AddressHeld')).toContain('Namespace shop has it');
  await world.server.request({ method: 'DELETE', path });
  await world.ready('allocation', 'wish', '10.0.1.1/29');
  await world.until('the IPPrefix names none', () => overlap() === '');
});

test('what is on record stays when a stronger pool takes its space', async () => {
  world.allocation('a');
  await world.ready('allocation', 'a', '10.0.1.1/32');
  world.poolsChange([{ network: 'shared', name: 'web', space: spaceOf('10.0.1.0/29') }]);
  await world.until('the IPPrefix names the pool', () => overlap() !== '');
  world.allocation('b');
  await world.refused('allocation', 'b', 'PoolExhausted');
  expect(await world.ready('allocation', 'a', '10.0.1.1/32')).toHaveProperty('prefix');
});
