import { NEPHIO } from '../../../../operator/contract/nephio';
import { NetworksWorld, selecting } from '../../../support/networks-world';

let world: NetworksWorld;

beforeEach(() => {
  world = new NetworksWorld();
});

afterEach(() => world.close());

/** A pool of `vpc-1` that is chosen. */
const pool = (prefixLength: number, labels: Readonly<Record<string, string>> = {}) => ({
  ...{ kind: 'pool', prefixLength },
  selector: selecting(undefined, labels),
});

test('no host has the network address of a subnet that was a pool before', async () => {
  world.instance();
  world.prefix('agg0', '10.0.0.0/8', { kind: 'aggregate' });
  await world.open();
  await world.ready('prefix', 'agg0');
  world.allocation('outer', pool(24), { labels: { site: '1' } });
  await world.ready('allocation', 'outer', '10.0.0.0/24');
  world.prefix('late', '10.0.0.1/24', { network: 'net1' });
  await world.refused('prefix', 'late', 'PrefixInUse');
  world.allocation('inner', pool(28, { site: '1' }));
  await world.ready('allocation', 'inner', '10.0.0.0/28');
  for (const name of ['inner', 'outer']) {
    await world.remove('allocation', name);
    await world.gone('allocation', name);
  }
  await world.ready('prefix', 'late');
  world.allocation('a1');
  expect(await world.ready('allocation', 'a1')).toMatchObject({ prefix: '10.0.0.2/32' });
});

/** A network with exclusions; what the last one of some addresses gets is told. */
async function lastOf(count: number): Promise<string> {
  for (let made = 1; made <= count; made++) {
    if (world.shown(`a${String(made)}`) === '') world.allocation(`a${String(made)}`);
    await world.ready('allocation', `a${String(made)}`);
  }
  return world.shown(`a${String(count)}`);
}

describe('an IPPrefix of which a change is refused', () => {
  test('still excludes what it excludes, for a label', async () => {
    world.f2();
    world.prefix('net1-x', '10.0.1.0/24', { network: 'net1', excluded: ['10.0.1.2-10.0.1.9'] });
    await world.open();
    await world.ready('prefix', 'net1-x');
    world.change('prefix', 'net1-x', { metadata: { labels: { [NEPHIO.origin]: 'me' } } });
    await world.refused('prefix', 'net1-x', 'ReservedLabel');
    expect(await lastOf(3)).toBe('10.0.1.12/32');
  });

  test('still excludes what it excludes, for a place while the old one is in use', async () => {
    world.instance();
    world.prefix('net1-x', '10.0.1.1/24', { network: 'net1', excluded: ['10.0.1.2-10.0.1.9'] });
    await world.open();
    await world.ready('prefix', 'net1-x');
    expect(await lastOf(1)).toBe('10.0.1.10/32');
    world.change('prefix', 'net1-x', { spec: { prefix: '10.0.9.1/24' } });
    await world.refused('prefix', 'net1-x', 'PrefixInUse');
    expect(await lastOf(3)).toBe('10.0.1.12/32');
  });

  test('still drains', async () => {
    world.f2();
    await world.open();
    await world.ready('prefix', 'net1-p1');
    world.change('prefix', 'net1-p1', { spec: { draining: true }, metadata: { labels: { [NEPHIO.origin]: 'me' } } });
    await world.refused('prefix', 'net1-p1', 'ReservedLabel');
    world.allocation('a1');
    expect(await world.refused('allocation', 'a1', 'PoolExhausted')).toContain('10.0.1.0/24');
  });

  test('still keeps its range for requests that select it', async () => {
    world.f2();
    const of = { network: 'net1', range: '10.0.1.2-10.0.1.20', labels: { use: 'vip' } };
    world.prefix('r1', '10.0.1.0/24', of);
    await world.open();
    await world.ready('prefix', 'r1');
    world.change('prefix', 'r1', { metadata: { labels: { [NEPHIO.origin]: 'me' } } });
    await world.refused('prefix', 'r1', 'ReservedLabel');
    expect(await lastOf(1)).toBe('10.0.1.21/32');
  });
});
