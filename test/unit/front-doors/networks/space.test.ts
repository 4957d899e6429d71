import { NEPHIO } from '../../../../operator/contract/nephio';
import { statusIn } from '../../../../operator/contract/stored-status';
import { NetworksWorld, selecting } from '../../../support/networks-world';

let world: NetworksWorld;

beforeEach(() => {
  world = new NetworksWorld();
});

afterEach(() => world.close());

/** A pool of `vpc-1` that is chosen. */
const pool = (prefixLength: number, labels: Readonly<Record<string, string>> = {}) => ({
  kind: 'pool',
  prefixLength,
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

test('what an aggregate excludes is given out of no prefix inside of it, and a change of it is followed', async () => {
  world.instance();
  world.prefix('agg0', '10.0.0.0/8', { kind: 'aggregate', excluded: ['10.0.1.0-10.0.1.9', '10.9.0.0/16'] });
  world.prefix('net1-p1', '10.0.1.0/28', { network: 'net1' });
  await world.open();
  await world.ready('prefix', 'net1-p1');
  world.allocation('a1');
  expect(await world.ready('allocation', 'a1')).toMatchObject({ prefix: '10.0.1.10/32' });
  world.allocation('wish', { prefix: '10.0.1.3/28' });
  expect(await world.refused('allocation', 'wish', 'Excluded')).toContain('10.0.1.3/28');
  world.change('prefix', 'agg0', { spec: { excluded: [] } });
  expect(await world.ready('allocation', 'wish', '10.0.1.3/28')).toHaveProperty('parentPrefix', '10.0.1.0/28');
});

describe('a range that is refused', () => {
  const selector = (name: string) => ({ selector: selecting('net1', { [NEPHIO.prefixName]: name }) });

  test('gives nothing, for an older one that it overlaps', async () => {
    world.f2();
    world.prefix('older', '10.0.1.0/24', { network: 'net1', range: '10.0.1.20-10.0.1.29' });
    world.prefix('younger', '10.0.1.0/24', { network: 'net1', range: '10.0.1.25-10.0.1.40' });
    await world.open();
    await world.refused('prefix', 'younger', 'PrefixOverlap');
    world.allocation('a', selector('younger'));
    expect(await world.refused('allocation', 'a', 'NoCandidate')).toContain('matches no prefix');
    await world.remove('prefix', 'older');
    await world.ready('allocation', 'a', '10.0.1.25/32');
  });

  test('gives nothing, for another network than that of its subnet', async () => {
    world.f2();
    world.prefix('range', '10.0.1.0/24', { network: 'net2', range: '10.0.1.20-10.0.1.29' });
    await world.open();
    await world.refused('prefix', 'range', 'NoNetwork');
    world.allocation('a', selector('range'));
    expect(await world.refused('allocation', 'a', 'NoCandidate')).toContain('matches no prefix');
  });

  test('gives nothing, for a label', async () => {
    world.f2();
    world.prefix('range', '10.0.1.0/24', { network: 'net1', range: '10.0.1.20-10.0.1.29' });
    await world.open();
    await world.ready('prefix', 'range');
    world.change('prefix', 'range', { metadata: { labels: { [NEPHIO.origin]: 'me' } } });
    await world.refused('prefix', 'range', 'ReservedLabel');
    world.allocation('a', selector('range'));
    expect(await world.refused('allocation', 'a', 'PoolExhausted')).toContain('10.0.1.0/24');
  });

  test('keeps its status while a move of it is refused', async () => {
    world.f2();
    world.prefix('range', '10.0.1.0/24', { network: 'net1', range: '10.0.1.20-10.0.1.29' });
    await world.open();
    const before = await world.ready('prefix', 'range');
    world.change('prefix', 'range', { spec: { prefix: '10.0.7.0/24', range: '10.0.7.20-10.0.7.29' } });
    expect(await world.refused('prefix', 'range', 'NoNetwork')).toContain('10.0.1.0/24 is kept');
    expect(statusIn(world.stored('prefix', 'range'))).toMatchObject({
      prefix: before['prefix'],
      network: 'net1',
      parentPrefix: before['parentPrefix'],
    });
  });
});

test('a status that was erased comes back while the instance is being deleted', async () => {
  world.f2();
  world.allocation('a');
  world.allocation('wish', { prefix: '10.0.1.9/24' });
  await world.open();
  const kept = [
    ['allocation', 'a', await world.ready('allocation', 'a')],
    ['allocation', 'wish', await world.ready('allocation', 'wish', '10.0.1.9/24')],
    ['prefix', 'net1-p1', await world.ready('prefix', 'net1-p1')],
    ['prefix', 'agg0', await world.ready('prefix', 'agg0')],
  ] as const;
  await world.remove('instance', 'vpc-1');
  await world.until('the instance is held', () => world.condition('instance', 'vpc-1', 'InUse') !== undefined);
  for (const [kind, name, { prefix, gateway, parentPrefix, network }] of kept) {
    world.server.put(world.path(kind, name), { ...world.stored(kind, name), status: {} });
    await world.until(`${name} shows what it has`, () => world.shown(name, kind) === prefix);
    expect(statusIn(world.stored(kind, name))).toMatchObject(
      JSON.parse(JSON.stringify({ prefix, gateway, parentPrefix, network })) as object,
    );
  }
});
