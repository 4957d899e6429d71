import { NEPHIO } from '../../../../operator/contract/nephio';
import { metadataOf } from '../../../../operator/contract/loose-json';
import { NetworksWorld } from '../../../support/networks-world';

let world: NetworksWorld;

beforeEach(() => {
  world = new NetworksWorld();
});

afterEach(() => world.close());

const MISSING = 'an entry is on record for an object that is not stored';
const COMPARED = 'objects of networks were compared with the record';

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

test('CONC-01 what a stale watch shows takes nothing from the object that is stored', async () => {
  const record = await served();
  const path = world.path('allocation', 'a1');
  const stored = world.stored('allocation', 'a1');
  const { uid } = metadataOf(stored);
  world.server.put(path, { ...stored, metadata: { ...metadataOf(stored), uid: 'older' } });
  // the watch tells the older one, and every answer about the object is about the newer one
  let asked = 0;
  world.server.intercept = (request) => {
    if (request.path !== path && request.path !== `${path}/status`) return undefined;
    asked += 1;
    if (request.method === 'GET')
      return { ok: true, status: 200, body: { ...stored, metadata: { ...metadataOf(stored), uid } } };
    return { ok: false, status: 409, reason: 'Conflict', message: 'another UID', body: {} };
  };
  await world.open();
  await world.logger.heard(COMPARED);
  await world.until('the object was looked at', () => asked > 1);
  world.allocation('b1');
  await world.ready('allocation', 'b1', '10.0.1.3/32');
  expect(world.record()).toEqual([...record, '10.0.1.3=b1']);
});

test('what the API server refuses for one network stops no other one', async () => {
  const record = await served();
  world.server.remove(world.path('allocation', 'a1'));
  world.allocation('a1');
  world.instance('vpc-2');
  world.prefix('q1', '10.0.1.1/24', { network: 'net1', networkInstance: 'vpc-2' });
  let isRefused = true;
  world.server.intercept = ({ method, path }) =>
    isRefused && method === 'PUT' && path.includes('addressclaims')
      ? { ok: false, status: 403, reason: 'Forbidden', message: 'by a policy', body: {} }
      : undefined;
  await world.open();
  await world.ready('prefix', 'q1', '10.0.1.1/24');
  await world.until(
    'the refused one is told',
    () => world.condition('allocation', 'a1', 'Synced')?.['status'] === 'False',
  );
  isRefused = false;
  world.clock.advance(60_000);
  await world.ready('allocation', 'a1', '10.0.1.2/32');
  expect(world.record()).toEqual(expect.arrayContaining([...record]));
});
