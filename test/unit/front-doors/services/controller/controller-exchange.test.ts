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
    expect(world.controller.waiting()).toBe(0);
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
