import { addressOf } from '../../../../operator/addressing/address';
import { prefixOf } from '../../../../operator/addressing/prefix';
import { PrefixSet } from '../../../../operator/addressing/prefix-set';
import { NETWORK_ANNOTATIONS } from '../../../../operator/contract/nephio';
import { textOf } from '../../../../operator/contract/loose-json';
import { NetworksWorld, selecting } from '../../../support/networks-world';

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

describe('an IPPrefix that is declared later', () => {
  const zone = () => {
    world.poolsChange([{ network: 'shared', name: 'web', space: spaceOf('10.0.2.0/24', '192.0.2.0/28') }]);
  };

  test('has no address of a stronger pool, which it names, and has it once the pool is gone', async () => {
    zone();
    world.prefix('p2', '10.0.2.9/24', { network: 'net2' });
    const message = await world.refused('prefix', 'p2', 'AddressHeld');
    expect(message).toBe('spec.prefix: "10.0.2.9/24" is not free, IPZone web has 10.0.2.9; declare another address');
    world.prefix('lo', '192.0.2.7/32', { kind: 'loopback' });
    expect(await world.refused('prefix', 'lo', 'AddressHeld')).toContain('IPZone web has 192.0.2.7');
    expect(world.record().filter((each) => !each.startsWith('10.0.1.'))).toEqual([]);
    world.poolsChange([]);
    await world.ready('prefix', 'p2', '10.0.2.9/24');
    await world.ready('prefix', 'lo', '192.0.2.7/32');
  });

  test('keeps an address that it has when a stronger pool takes its space, and cannot move to another one there', async () => {
    world.prefix('p2', '10.0.2.9/24', { network: 'net2' });
    await world.ready('prefix', 'p2', '10.0.2.9/24');
    zone();
    await world.until('it names the pool', () => world.condition('prefix', 'p2', 'OverlapsOtherDoor') !== undefined);
    await world.ready('prefix', 'p2', '10.0.2.9/24');
    world.change('prefix', 'p2', { spec: { prefix: '10.0.2.10/24' } });
    expect(await world.refused('prefix', 'p2', 'AddressHeld')).toContain('10.0.2.9/24 is kept');
    expect(world.record()).toContain('10.0.2.9=p2');
  });

  test('may be space over a stronger pool, of which nothing is given', async () => {
    zone();
    world.prefix('p2', '10.0.2.0/24', { network: 'net2' });
    world.prefix('lo', '192.0.2.0/29', { kind: 'loopback' });
    await world.ready('prefix', 'lo');
    world.prefix('agg', '10.0.0.0/8', { kind: 'aggregate' });
    for (const name of ['p2', 'agg', 'lo']) {
      await world.ready('prefix', name);
      expect(world.condition('prefix', name, 'OverlapsOtherDoor')?.['message']).toContain('IPZone web');
    }
    world.allocation('a', { selector: selecting('net2') });
    await world.refused('allocation', 'a', 'PoolExhausted');
  });

  test('has no address of a claim of another door, nor of a Service, but that of a Node', async () => {
    world.otherClaim('shared', '10.0.2.0');
    world.prefix('p2', '10.0.2.0/24', { network: 'net2' });
    expect(await world.refused('prefix', 'p2', 'AddressHeld')).toContain('Namespace shop has 10.0.2.0');
    world.showingChanges([
      { kind: 'node', source: 'Node/n1', address: addressOf('10.0.3.1') },
      { kind: 'ingress', source: 'Service/shop/web', address: addressOf('10.0.3.2') },
    ]);
    world.prefix('n1', '10.0.3.1/24', { network: 'net3' });
    await world.ready('prefix', 'n1', '10.0.3.1/24');
    world.prefix('web', '10.0.3.2/24', { network: 'net3' });
    expect(await world.refused('prefix', 'web', 'AddressHeld')).toContain('Service/shop/web has 10.0.3.2');
    world.showingChanges([]);
    await world.ready('prefix', 'web', '10.0.3.2/24');
  });
});
