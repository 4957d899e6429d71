import { instanceLines, instanceTree } from '../../../../operator/cli/networks/instance-tree';
import { readInstanceObjects } from '../../../../operator/cli/networks/read-instance';
import { valueOf } from '../../../../operator/errors/ipam-error';
import { countingGenerations } from '../../../support/counting-generations';
import { refusedWith } from '../../../support/memory-api-client';
import { NetworksWorld, selecting } from '../../../support/networks-world';

const NAME = { namespace: 'default', name: 'vpc-1' };
let world: NetworksWorld;

beforeEach(async () => {
  world = new NetworksWorld();
  world.f2();
  await world.open();
  await world.ready('prefix', 'net1-p1');
});
afterEach(() => world.close());

test('a NetworkInstance is drawn with use, holders and users', async () => {
  world.prefix('n3', '10.0.1.10/24', { network: 'net1', labels: { 'nephio.org/interface': 'n3' } });
  await world.ready('prefix', 'n3');
  world.allocation('web');
  world.allocation('upf-n3', { selector: selecting('net1', { 'nephio.org/interface': 'n3' }) });
  world.allocation('site', { kind: 'pool', prefixLength: 16, selector: selecting() });
  world.prefix('six', '2001:db8::/32', { kind: 'aggregate' });
  for (const name of ['web', 'upf-n3', 'site']) await world.ready('allocation', name);
  await world.ready('prefix', 'six');
  await world.until('counts are told', () => JSON.stringify(world.stored('prefix', 'net1-p1')).includes('"used":"3"'));
  const objects = valueOf(await readInstanceObjects(countingGenerations(world.server), NAME));
  const lines = instanceLines('default/vpc-1', instanceTree(objects));
  const web = world.shown('web').replace('/32', '');
  expect(lines.map((line) => line.replace(/\(\d+ of \d+ used, \d+ free\)/u, '(USE)'))).toEqual([
    'NetworkInstance default/vpc-1 (7 entries)',
    '├─ 10.0.0.0/8 aggregate IPPrefix default/agg0 (USE)',
    '│  ├─ 10.0.1.0/24 network net1 NetworkInstance default/vpc-1 (USE)',
    '│  │  ├─ 10.0.1.1 network net1 gateway IPPrefix default/net1-p1',
    '│  │  ├─ 10.0.1.10 network net1 IPPrefix default/n3 for IPAllocation default/upf-n3',
    `│  │  └─ ${web} network net1 IPAllocation default/web`,
    '│  └─ 10.1.0.0/16 pool IPAllocation default/site',
    '└─ 2001:db8::/32 aggregate IPPrefix default/six (USE)',
  ]);
  expect(lines.find((line) => line.includes('10.0.1.0/24'))).toContain('(3 of 254 used, 251 free)');
});

test('one that is not there, or is not shown, is refused', async () => {
  const client = countingGenerations(world.server);
  expect(await readInstanceObjects(client, { ...NAME, name: 'none' })).toMatchObject({
    refusal: { code: 'instance/not-found' },
  });
  world.server.intercept = ({ path }) => (path.includes('addressclaims') ? refusedWith(403, 'Forbidden') : undefined);
  expect(await readInstanceObjects(client, NAME)).toMatchObject({ refusal: { code: 'cluster/refused' } });
});
