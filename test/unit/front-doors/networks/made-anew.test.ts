import { NEPHIO } from '../../../../operator/contract/nephio';
import { NetworksWorld } from '../../../support/networks-world';

let world: NetworksWorld;

beforeEach(() => {
  world = new NetworksWorld();
});

afterEach(() => world.close());

const MISSING = 'an entry is on record for an object that is not stored';

/** The fixture with allocation a1, served and stopped. */
async function served(): Promise<readonly string[]> {
  world.f2();
  world.allocation('a1');
  const close = await world.open();
  await world.ready('allocation', 'a1', '10.0.1.2/32');
  const record = world.record();
  await close();
  return record;
}

test('DR-02 objects that are restored while the operator runs have what they had, and hold nothing else', async () => {
  const record = await served();
  world.server.remove(world.path('allocation', 'a1'));
  world.server.remove(world.path('prefix', 'net1-p1'));
  const close = await world.open();
  await world.logger.heard(MISSING);
  world.allocation('a1');
  world.prefix('net1-p1', '10.0.1.1/24', { network: 'net1', labels: { [NEPHIO.gateway]: 'true' } });
  await world.ready('allocation', 'a1', '10.0.1.2/32');
  await world.ready('prefix', 'net1-p1', '10.0.1.1/24');
  expect(world.record()).toEqual(record);
  await close();
  await world.open();
  world.allocation('b1');
  await world.ready('allocation', 'b1', '10.0.1.3/32');
  await world.ready('allocation', 'a1', '10.0.1.2/32');
  expect(world.record()).toEqual([...record, '10.0.1.3=b1']);
});

test('DR-03 a paused allocation that comes back under another UID has its address', async () => {
  const record = await served();
  await world.open();
  world.change('allocation', 'a1', { metadata: { annotations: { 'ipam.vitistack.io/paused': 'true' } } });
  await world.remove('allocation', 'a1');
  await world.gone('allocation', 'a1');
  await world.logger.heard(MISSING);
  world.allocation('a1');
  await world.ready('allocation', 'a1', '10.0.1.2/32');
  expect(world.record()).toEqual(record);
});
