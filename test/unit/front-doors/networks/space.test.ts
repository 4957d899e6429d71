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
