import { addressOf } from '../../../../../operator/addressing/address';
import { refuse } from '../../../../../operator/errors/outcome';
import { ControllerWorld } from '../../../../support/controller-world';
import type { WorldProps } from '../../../../support/door-world';
import { service } from '../../../../support/review-builder';
import { StrictMetalLb } from '../../../../support/strict-metallb';
import { wrapped } from '../../../../support/wrapped-book';

const IPS = 'metallb.io/loadBalancerIPs';
const POOL = 'metallb.io/address-pool';
const ADDRESSES = 'ipam.vitistack.io/addresses';

const NAMES = ['one', 'two', 'three'];

/** Services that are served, each with an address of its own: 10.0.0.1, 10.0.0.2 and so on. */
async function served(names: readonly string[], props: WorldProps = {}) {
  const world = new ControllerWorld(props);
  const metalLb = new StrictMetalLb(world);
  for (const [i, name] of names.entries()) {
    await world.create(service({ [ADDRESSES]: address(i) }, {}, { name }));
  }
  await world.compare();
  await metalLb.settle(1_000);
  return { world, metalLb };
}

const address = (i: number): string => `10.0.0.${String(i + 1)}`;

async function wish(world: ControllerWorld, name: string, addresses: string) {
  return world.update(name, ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, [ADDRESSES]: addresses };
  });
}

describe('FU-107 Services that wait for each other', () => {
  test.each([2, 3])('%d of them exchange their addresses, and MetalLB follows', async (count) => {
    const names = NAMES.slice(0, count);
    const { world, metalLb } = await served(names);
    for (const [i, name] of names.entries()) {
      const { warnings, denied } = await wish(world, name, address((i + 1) % count));
      expect(denied).toBeUndefined();
      expect(warnings).toHaveLength(1);
    }
    expect(await world.bound()).toEqual(names.map((name, i) => `${name}=${address(i)}`));
    await metalLb.settle();
    const expected = names.map((name, i) => `${name}=${address((i + 1) % count)}`);
    expect([...(await world.bound())].sort()).toEqual([...expected].sort());
    for (const [i, name] of names.entries()) {
      const own = address((i + 1) % count);
      expect(world.announced(name)).toEqual([own]);
      expect(world.annotations(name)).toMatchObject({ [IPS]: own, [POOL]: 'hnet-private', [ADDRESSES]: own });
      expect(world.condition(name)?.status).toBe('True');
    }
    // each one but the first moves in one step
    expect(metalLb.written.filter((each) => each.endsWith('='))).toHaveLength(1);
    expect(world.waiting()).toBe(0);
  });

  test('waits while only one of them wants to change, and keeps its address', async () => {
    const { world, metalLb } = await served(['one', 'two']);
    await wish(world, 'one', '10.0.0.2');
    await metalLb.settle();
    expect(world.condition('one')).toMatchObject({ status: 'False', reason: 'AddressInUse' });
    expect(world.condition('one')?.message).toContain('"a/two"');
    expect(world.announced('one')).toEqual(['10.0.0.1']);
    await wish(world, 'one', '10.0.0.1');
    await metalLb.settle();
    expect(world.condition('one')?.status).toBe('True');
  });

  test('a wish that was taken back while the feed was late exchanges nothing', async () => {
    const { world, metalLb } = await served(['one', 'two']);
    await wish(world, 'one', '10.0.0.2');
    await metalLb.settle();
    world.services.follows = false;
    await wish(world, 'one', '10.0.0.1');
    await wish(world, 'two', '10.0.0.1');
    world.services.put(world.services.object('two'));
    world.services.catchUp();
    await metalLb.settle();
    expect(await world.bound()).toEqual(['one=10.0.0.1', 'two=10.0.0.2']);
  });

  test.each(['before any key', 'after the first key'])(
    'a process that ends %s is finished by the next one',
    async (when) => {
      const { world, metalLb } = await served(['one', 'two']);
      await wish(world, 'one', '10.0.0.2');
      await wish(world, 'two', '10.0.0.1');
      let keys = when === 'before any key' ? 0 : 1;
      world.services.beforeWrite = ({ kind }) => {
        if (kind === 'annotate' && keys-- <= 0) throw new RangeError('the process ends here');
      };
      await expect(metalLb.settle()).rejects.toThrow('the process ends here');
      expect(await world.bound()).toEqual(['two=10.0.0.1', 'one=10.0.0.2']);
      world.services.beforeWrite = () => undefined;
      metalLb.work();
      world.restart();
      await world.compare();
      await metalLb.settle();
      expect(world.announced('one')).toEqual(['10.0.0.2']);
      expect(world.announced('two')).toEqual(['10.0.0.1']);
    },
  );

  test('goes on waiting, and says why, where the store cannot exchange', async () => {
    const wrapBook = wrapped(() => ({
      exchange: () => Promise.resolve(refuse('store/no-exchange', 'the store of addresses cannot exchange')),
    }));
    const { world, metalLb } = await served(['one', 'two'], { wrapBook });
    await wish(world, 'one', '10.0.0.2');
    await wish(world, 'two', '10.0.0.1');
    await metalLb.settle();
    const told = ['one', 'two'].map((name) => world.condition(name)?.message ?? '');
    expect(told.join()).toMatch(
      /"a\/(one|two)", "a\/(two|one)" wait for each other, but the store of addresses cannot/u,
    );
    expect(world.announced('one')).toEqual(['10.0.0.1']);
    expect(await world.writesOf(() => metalLb.settle(60_000))).toEqual([]);
  });
});

describe('FU-12 a Service that replaces another one', () => {
  test('waits for its end and has the address then, without a quarantine', async () => {
    const { world, metalLb } = await served(['old']);
    const { stored, warnings } = await world.create(service({ [ADDRESSES]: '10.0.0.1' }, {}, { name: 'new' }));
    expect(stored?.metadata.annotations).toMatchObject({ [POOL]: 'ipam-waiting', [ADDRESSES]: '10.0.0.1' });
    expect(warnings).toEqual([expect.stringContaining('held by "a/old", a Service of this namespace')]);
    await metalLb.settle();
    expect(world.condition('new')).toMatchObject({ status: 'False', reason: 'AddressInUse' });
    expect(world.announced('new')).toEqual([]);
    world.services.remove('old');
    await world.settle();
    expect(await world.bound()).toEqual(['new=10.0.0.1']);
    expect(world.annotations('new')).toMatchObject({ [POOL]: 'hnet-private', [IPS]: '10.0.0.1' });
  });

  test('has the address also where the old one asked for a retention', async () => {
    const { world, metalLb } = await served([]);
    const days = { 'ipam.vitistack.io/retention-period-days': '7' };
    await world.create(service({ [ADDRESSES]: '10.0.0.1', ...days }, {}, { name: 'old' }));
    await world.create(service({ [ADDRESSES]: '10.0.0.1' }, {}, { name: 'new' }));
    await metalLb.settle();
    world.services.remove('old');
    await world.settle();
    expect(await world.bound()).toEqual(['new=10.0.0.1']);
  });

  test('has the address when one of several on it goes, or changes so that there is room', async () => {
    const { world, metalLb } = await served([]);
    const shared = { [ADDRESSES]: '10.0.0.1', 'ipam.vitistack.io/allow-local-shared-ip': 'k' };
    const ports = (port: number) => ({ ports: [{ port, protocol: 'TCP' }] });
    for (const [name, port] of [
      ['dns', 53],
      ['web', 80],
      ['late', 80],
      ['later', 53],
    ] as const) {
      await world.create(service(shared, ports(port), { name }));
    }
    await metalLb.settle();
    expect(await world.bound()).toEqual(['dns=10.0.0.1', 'web=10.0.0.1']);
    world.services.remove('web');
    await world.settle();
    expect(await world.bound()).toEqual(['dns=10.0.0.1', 'late=10.0.0.1']);
    await world.update('dns', ({ spec }) => Object.assign(spec, ports(54)));
    await world.settle();
    expect(await world.bound()).toEqual(['dns=10.0.0.1', 'late=10.0.0.1', 'later=10.0.0.1']);
  });
});

describe('FU-16 a Service with a sharing key and no address', () => {
  const KEY = { 'ipam.vitistack.io/allow-local-shared-ip': 'k' };
  const ports = (port: number) => ({ ports: [{ port, protocol: 'TCP' }] });

  test('has that of its neighbours, or is told in a warning and an Event why not', async () => {
    const world = new ControllerWorld();
    await world.create(service(KEY, ports(80), { name: 'web' }));
    const joined = await world.create(service(KEY, ports(53), { name: 'dns' }));
    const apart = await world.create(service(KEY, ports(80), { name: 'other' }));
    expect(joined.warnings).toBeUndefined();
    expect(apart.warnings).toEqual([expect.stringContaining('both use port 80/TCP')]);
    const writes = await world.writesOf(() => world.compare());
    expect(await world.bound()).toEqual(['web=10.0.0.0', 'dns=10.0.0.0', 'other=10.0.0.1']);
    const events = writes.filter(({ kind }) => kind === 'event');
    expect(events[0]).toMatchObject({ name: 'other', what: { reason: 'AddressNotShared' } });
    expect(events.slice(1).map(({ name, what }) => [name, (what as { reason: string }).reason])).toEqual([
      ['web', 'Bound'],
      ['dns', 'Bound'],
      ['other', 'Bound'],
    ]);
  });
});

describe('FU-08 Services that share an address by a record without terms', () => {
  test('are served, write their terms, and may change them', async () => {
    const world = new ControllerWorld();
    const { cluster, book } = world.door;
    const value = 'custom-secret-of-a';
    cluster.putSecret('a', 'own', { type: 'Opaque', data: { secret: value } });
    const namespaceUid = (await cluster.namespace('a'))?.uid ?? '';
    const clusterUid = await cluster.clusterUid();
    const at = addressOf('10.0.0.7');
    for (const serviceName of ['dns', 'web']) {
      // as version 2 of the IPAM-API, and an import, put it on record
      const registered = await book.reserve({
        claimant: { service: { serviceName, namespaceUid, clusterUid }, namespace: '' },
        zone: 'hnet-private',
        family: 4,
        wish: at,
        secret: { value, scope: 'shared' },
        options: { retentionPeriodDays: 0, denyExternalCleanup: false },
        writtenKeys: [],
        as: 'bound',
      });
      expect(registered.ok).toBe(true);
    }
    const keys = {
      'ipam.vitistack.io/secret': 'own',
      'ipam.vitistack.io/zone': 'hnet-private',
      [ADDRESSES]: '10.0.0.7',
      'ipam.vitistack.io/allow-local-shared-ip': 'k',
      'metallb.io/allow-shared-ip': 'k',
      [POOL]: 'hnet-private',
      [IPS]: '10.0.0.7',
    };
    for (const [name, port] of [
      ['dns', 53],
      ['web', 80],
    ] as const) {
      world.force(service(keys, { ports: [{ port, protocol: 'TCP' }] }, { name, uid: `uid-${name}` }));
    }
    await world.compare();
    for (const name of ['dns', 'web']) expect(world.condition(name)).toMatchObject({ status: 'True', reason: 'Bound' });
    const changed = await world.update('dns', ({ spec }) => {
      spec['ports'] = [{ port: 54, protocol: 'TCP' }];
    });
    expect(changed.denied).toBeUndefined();
    await world.settle();
    const clash = await world.update('dns', ({ spec }) => {
      spec['ports'] = [{ port: 80, protocol: 'TCP' }];
    });
    expect(clash.denied?.message).toContain('both use port 80/TCP');
    expect(world.condition('dns')?.status).toBe('True');
  });
});
