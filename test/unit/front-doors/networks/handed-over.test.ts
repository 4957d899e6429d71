import { metadataOf } from '../../../../operator/contract/loose-json';
import { NetworksWorld, type WorldKind } from '../../../support/networks-world';

const worlds: NetworksWorld[] = [];
const opened = async (): Promise<NetworksWorld> => {
  const world = new NetworksWorld();
  worlds.push(world);
  await world.open();
  return world;
};

afterEach(async () => {
  await Promise.all(worlds.splice(0).map((each) => each.close()));
});

const PAUSED = { 'ipam.vitistack.io/paused': '' };
const ALL: readonly (readonly [WorldKind, string])[] = [
  ['allocation', 'b'],
  ['allocation', 'a'],
  ['prefix', 'net1-p1'],
  ['prefix', 'agg0'],
  ['instance', 'vpc-1'],
];

async function served(): Promise<NetworksWorld> {
  const world = await opened();
  world.f2();
  await world.ready('prefix', 'net1-p1');
  for (const name of ['a', 'b']) {
    world.allocation(name);
    await world.ready('allocation', name);
  }
  return world;
}

test('DR-03 objects that are paused, copied twice to another cluster and deleted have what they had there', async () => {
  const from = await served();
  const before = from.record();
  const shown = ['a', 'b'].map((name) => from.shown(name));
  for (const [kind, name] of ALL) from.change(kind, name, { metadata: { annotations: PAUSED } });
  const to = await opened();
  // the order is the worst one, and the copy runs twice
  for (let copy = 0; copy < 2; copy++)
    for (const [kind, name] of ALL) {
      const {
        uid: _uid,
        resourceVersion: _version,
        annotations: _annotations,
        ...metadata
      } = metadataOf(from.stored(kind, name));
      to.server.put(to.path(kind, name), {
        ...to.stored(kind, name),
        ...from.stored(kind, name),
        metadata: { ...metadataOf(to.stored(kind, name)), ...metadata },
      });
    }
  for (const [kind, name] of ALL) await from.remove(kind, name);
  for (const [kind, name] of ALL) await from.gone(kind, name);
  for (const [index, name] of ['a', 'b'].entries()) await to.ready('allocation', name, shown[index]);
  await to.until('the prefixes are on record', () => to.record().join() === before.join());
  // what was deleted after it was handed over stays on record for the grace
  expect(from.record()).toEqual(before);
});

test('DEL-01 objects whose finalizers are taken off without an operator go, and the next one frees what they had', async () => {
  const world = await served();
  await world.close();
  for (const [kind, name] of ALL) {
    await world.remove(kind, name);
    world.change(kind, name, { metadata: { finalizers: [] } });
    world.server.remove(world.path(kind, name));
  }
  await world.open();
  await world.logger.heard('an entry is on record for an object that is not stored');
  // the grace of each entry begins when it is missed
  await world.until('all is free', () => {
    world.clock.advance(500);
    return world.record().length === 0;
  });
  expect(world.record()).toEqual([]);
});

test.each([403, 500, 504])(
  'DEL-04 a release that is answered with %d keeps object and record, and is tried again',
  async (status) => {
    const world = await served();
    let refused = 0;
    world.server.intercept = ({ method, path }) => {
      if (method !== 'DELETE' || !path.includes('addressclaims') || refused >= 3) return undefined;
      refused += 1;
      return { ok: false, status, reason: '', message: 'by the test', body: {} };
    };
    await world.remove('allocation', 'a');
    await world.until('it was refused', () => refused > 0);
    expect(world.record()).toContain('10.0.1.2=a');
    await world.gone('allocation', 'a');
    expect(refused).toBe(3);
    expect(world.record()).not.toContain('10.0.1.2=a');
  },
);

test('DEL-04 a claim that is gone already is released', async () => {
  const world = await served();
  world.server.intercept = ({ method, path }) => {
    if (method !== 'DELETE' || !path.endsWith('.10.0.1.2')) return undefined;
    world.server.remove(path);
    return { ok: false, status: 404, reason: 'NotFound', message: 'by the test', body: {} };
  };
  await world.remove('allocation', 'a');
  await world.gone('allocation', 'a');
  expect(world.record()).not.toContain('10.0.1.2=a');
});
