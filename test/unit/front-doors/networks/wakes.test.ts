import { NEPHIO } from '../../../../operator/contract/nephio';
import { NetworksWorld, selecting } from '../../../support/networks-world';

let world: NetworksWorld;

beforeEach(async () => {
  world = new NetworksWorld();
  await world.open();
});

afterEach(() => world.close());

/** Waits until the counters that are about to be written are, which would look at an object again. */
const counted = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 700));

/** Network net1 with one allocation. */
async function used(): Promise<void> {
  await world.ready('prefix', 'net1-p1');
  world.allocation('a1');
  await world.ready('allocation', 'a1');
}

describe('the last user of a subnet', () => {
  test('wakes the IPPrefix that waits to leave it', async () => {
    world.f2();
    await used();
    world.change('prefix', 'net1-p1', { spec: { prefix: '10.0.9.1/24' } });
    await world.refused('prefix', 'net1-p1', 'PrefixInUse');
    await counted();
    await world.remove('allocation', 'a1');
    await world.ready('prefix', 'net1-p1', '10.0.9.1/24');
    expect(world.record()).toEqual(['10.0.0.0/8=agg0', '10.0.9.0/24=vpc-1', '10.0.9.1=net1-p1']);
  });

  test('wakes the IPPrefix that is being deleted while it waits to leave, and gives no more', async () => {
    world.f2();
    await used();
    world.change('prefix', 'net1-p1', { spec: { prefix: '10.0.9.1/24' } });
    await world.refused('prefix', 'net1-p1', 'PrefixInUse');
    await world.remove('prefix', 'net1-p1');
    await world.until('it is held', () => world.condition('prefix', 'net1-p1', 'InUse') !== undefined);
    world.allocation('a2');
    await world.refused('allocation', 'a2', 'PoolExhausted');
    await counted();
    await world.remove('allocation', 'a1');
    await world.gone('prefix', 'net1-p1');
    expect(world.record()).toEqual(['10.0.0.0/8=agg0']);
  });

  test('wakes the IPPrefix that is being deleted beside an older range of the block', async () => {
    world.instance();
    world.prefix('r1', '10.0.1.1/24', { network: 'net1', range: '10.0.1.100-10.0.1.110', labels: { use: 'vip' } });
    world.prefix('net1-p1', '10.0.1.1/24', { network: 'net1' });
    await used();
    await world.remove('prefix', 'net1-p1');
    await world.until('it is held', () => world.condition('prefix', 'net1-p1', 'InUse') !== undefined);
    await counted();
    await world.remove('allocation', 'a1');
    await world.gone('prefix', 'net1-p1');
    expect(world.record()).toEqual([]);
  });
});

test('a pool that is given wakes the requests that select it', async () => {
  world.f2();
  await world.ready('prefix', 'net1-p1');
  world.allocation('inner', { kind: 'pool', prefixLength: 24, selector: selecting(undefined, { site: '1' }) });
  await world.refused('allocation', 'inner', 'NoCandidate');
  world.allocation('outer', { kind: 'pool', prefixLength: 16, selector: selecting() }, { labels: { site: '1' } });
  await world.ready('allocation', 'outer', '10.1.0.0/16');
  expect(await world.ready('allocation', 'inner')).toMatchObject({ prefix: '10.1.0.0/24' });
});

describe('an allocation with another place than before', () => {
  test('gives a pool back once what was given out of it is gone', async () => {
    world.f2();
    await world.ready('prefix', 'net1-p1');
    world.allocation('outer', { kind: 'pool', prefixLength: 16, selector: selecting() }, { labels: { site: '1' } });
    await world.ready('allocation', 'outer', '10.1.0.0/16');
    world.allocation('inner', { kind: 'pool', prefixLength: 24, selector: selecting(undefined, { site: '1' }) });
    await world.ready('allocation', 'inner', '10.1.0.0/24');
    world.change('allocation', 'outer', { spec: { prefixLength: 20 } });
    await world.until('it has another one', () => world.shown('outer') !== '10.1.0.0/16');
    expect(world.record()).toContain('10.1.0.0/16=outer');
    await world.remove('allocation', 'inner');
    await world.until('10.1.0.0/16 is free', () => !world.record().includes('10.1.0.0/16=outer'));
    expect(world.record().filter((each) => each.endsWith('=outer'))).toHaveLength(1);
  });

  test('gives back what it had in another instance', async () => {
    world.f2();
    world.instance('vpc-2');
    world.prefix('q1', '10.0.7.1/24', { network: 'net1', networkInstance: 'vpc-2' });
    await world.ready('prefix', 'q1');
    await used();
    const named = { key: NEPHIO.networkInstance, operator: 'In', values: ['vpc-2'] };
    const matchLabels = { [NEPHIO.networkName]: 'net1' };
    world.change('allocation', 'a1', { spec: { selector: { matchLabels, matchExpressions: [named] } } });
    await world.ready('allocation', 'a1', '10.0.7.2/32');
    await world.until('its old address is free', () => !world.record().includes('10.0.1.2=a1'));
    expect(world.record().filter((each) => each.endsWith('=a1'))).toEqual(['10.0.7.2=a1']);
  });
});
