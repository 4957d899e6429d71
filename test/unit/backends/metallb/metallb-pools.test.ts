import { addressOf } from '../../../../operator/addressing/address';
import { prefixOf } from '../../../../operator/addressing/prefix';
import { PrefixSet, PrefixSetBuilder } from '../../../../operator/addressing/prefix-set';
import { MetalLbPools } from '../../../../operator/backends/metallb/metallb-pools';
import { POOL_SINGLE_ADDRESSES } from '../../../../operator/contract/address-pool';
import { parseZones } from '../../../../operator/contract/zones';
import type { Outcome } from '../../../../operator/errors/outcome';
import { MemoryObjects, labelsOf } from '../../../support/memory-objects';

const LABEL = { 'app.kubernetes.io/managed-by': 'ipam-operator' };

function parsedZones() {
  const parsed = parseZones({ version: 1, zones: [{ name: 'inet', prefixes: ['192.0.2.0/24', '2001:db8::/120'] }] });
  if (!parsed.ok) throw new TypeError('zones of the test');
  return parsed.value;
}

function world() {
  const objects = new MemoryObjects();
  const zones = parsedZones();
  const pools = new MetalLbPools({ objects, zones: { current: () => zones } });
  return { objects, pools };
}

const set = (...blocks: readonly string[]): PrefixSet =>
  blocks
    .reduce(
      (builder, text) => builder.add(text.includes('/') ? prefixOf(text) : addressOf(text)),
      new PrefixSetBuilder(),
    )
    .build();

const refusal = <V>(outcome: Outcome<V>) => (outcome.ok ? undefined : outcome.refusal);

describe('MetalLbPools.publish', () => {
  test('writes the fewest prefixes that hold exactly the addresses, and no automatic use', async () => {
    const { objects, pools } = world();
    await pools.publish('inet', set('192.0.2.8', '192.0.2.9', '192.0.2.10', '2001:db8::1'));

    expect(objects.addresses('inet')).toEqual(['192.0.2.8/31', '192.0.2.10/32', '2001:db8::1/128']);
    expect(objects.field('inet', 'autoAssign')).toBe(false);
    expect(labelsOf(await objects.read('inet'))).toEqual(LABEL);
  });

  test('writes nothing when the pool is so already', async () => {
    const { objects, pools } = world();
    await pools.publish('inet', set('192.0.2.8'));
    await pools.publish('inet', set('192.0.2.8'));

    expect(objects.writes).toEqual(['apply inet']);
  });

  test('deletes the pool rather than emptying it, and deletes nothing that is not there', async () => {
    const { objects, pools } = world();
    await pools.publish('inet', PrefixSet.EMPTY);
    await pools.publish('inet', set('192.0.2.8'));
    await pools.publish('inet', PrefixSet.EMPTY);

    expect(objects.writes).toEqual(['apply inet', 'delete inet']);
    expect(objects.addresses('inet')).toBeUndefined();
  });

  test.each([
    ['addresses', { addresses: ['192.0.2.0/24'] }],
    ['addresses outside of the zone', { addresses: ['198.51.100.0/24'] }],
    ['autoAssign', { autoAssign: true }],
  ])('puts back %s that somebody edited in a pool of ours', async (_what, edit) => {
    const { objects, pools } = world();
    await pools.publish('inet', set('192.0.2.8'));
    objects.edit('inet', edit);
    const outcome = await pools.publish('inet', set('192.0.2.8'));

    expect(outcome.ok).toBe(true);
    expect(objects.addresses('inet')).toEqual(['192.0.2.8/32']);
    expect(objects.field('inet', 'autoAssign')).toBe(false);
  });

  test('refuses an address that another pool holds, names that pool and writes nothing', async () => {
    const { objects, pools } = world();
    objects.edit('lab', { addresses: ['192.0.2.64-192.0.2.79'] });
    const outcome = await pools.publish('inet', set('192.0.2.8', '192.0.2.70'));

    expect(refusal(outcome)).toMatchObject({
      code: 'pool/overlap',
      message: expect.stringContaining('MetalLB pool "lab" holds 192.0.2.70 of zone "inet"') as string,
    });
    expect(objects.writes).toEqual([]);
  });

  test('counts an entry with host bits, which MetalLB takes for its network', async () => {
    const { objects, pools } = world();
    objects.edit('lab', { addresses: ['192.0.2.77/28'] });

    expect(refusal(await pools.publish('inet', set('192.0.2.70')))?.code).toBe('pool/overlap');
  });

  test('writes only one of two pools that share an address, however they come together', async () => {
    const { objects, pools } = world();
    const outcomes = await Promise.all(['inet', 'copy'].map((name) => pools.publish(name, set('192.0.2.8'))));

    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false]);
    expect(objects.writes).toEqual(['apply inet']);
  });

  test.each([
    [
      'of single addresses, as the original writes it',
      ['192.0.2.8/32', '2001:db8::1/128'],
      {},
      ['192.0.2.8/32', '192.0.2.9/32', '2001:db8::1/128'],
    ],
    ['with our label that a restore brought back', ['192.0.2.8/31'], LABEL, ['192.0.2.8/31', '2001:db8::1/128']],
  ])('takes over a pool %s', async (...[, addresses, labels, after]) => {
    const { objects, pools } = world();
    objects.edit('inet', { addresses, autoAssign: false }, { manager: 'manager', labels });
    const outcome = await pools.publish('inet', set('192.0.2.8', '192.0.2.9', '2001:db8::1'));

    expect(outcome.ok).toBe(true);
    expect(objects.addresses('inet')).toEqual(after);
    expect((await pools.list())[0]?.ours).toBe(true);
  });

  test('FU-42 keeps the pool of the original to single addresses, so that the original finds its own after a rollback', async () => {
    const { objects, pools } = world();
    objects.edit('inet', { addresses: ['192.0.2.8/32'], autoAssign: false }, { manager: 'manager' });
    await pools.publish('inet', set('192.0.2.8', '192.0.2.9'));
    // by now it is written by this operator alone
    await pools.publish('inet', set('192.0.2.8', '192.0.2.9', '192.0.2.10', '192.0.2.11'));
    expect(objects.addresses('inet')).toEqual([8, 9, 10, 11].map((last) => `192.0.2.${last}/32`));
    // a next process knows it by the object
    const next = new MetalLbPools({ objects, zones: { current: () => parsedZones() } });
    await next.publish('inet', set('192.0.2.8', '192.0.2.9'));
    expect(objects.addresses('inet')).toEqual(['192.0.2.8/32', '192.0.2.9/32']);
  });

  test('FU-42 rewrites a pool to single addresses where its annotation asks for it', async () => {
    const { objects, pools } = world();
    await pools.publish('inet', set('192.0.2.8', '192.0.2.9'));
    expect(objects.addresses('inet')).toEqual(['192.0.2.8/31']);
    const annotations = { [POOL_SINGLE_ADDRESSES]: 'true' };
    objects.edit('inet', { addresses: ['192.0.2.8/31'], autoAssign: false }, { annotations });
    await pools.publish('inet', set('192.0.2.8', '192.0.2.9'));
    expect(objects.addresses('inet')).toEqual(['192.0.2.8/32', '192.0.2.9/32']);
    expect(objects.writes).toHaveLength(2);
    await pools.publish('inet', set('192.0.2.8', '192.0.2.9'));
    expect(objects.writes).toHaveLength(2);
  });

  test.each([
    {
      what: 'whose content is no list of single addresses',
      name: 'inet',
      addresses: ['192.0.2.0/28'],
      why: 'it holds more than single addresses, so no operator wrote it',
    },
    {
      what: 'that holds an address outside of the zone',
      name: 'inet',
      addresses: ['192.0.2.8/32', '198.51.100.7/32'],
      why: 'it holds 198.51.100.7, which zone "inet" does not',
    },
    { what: 'that has the name of no zone', name: 'lab', addresses: ['192.0.2.8/32'], why: 'no zone has this name' },
  ])('leaves a pool alone $what, and names its owner', async ({ name, addresses, why }) => {
    const { objects, pools } = world();
    objects.edit(name, { addresses }, { manager: 'argocd' });

    for (const space of [set('192.0.2.8'), PrefixSet.EMPTY]) {
      expect(refusal(await pools.publish(name, space))).toEqual({
        code: 'pool/owned',
        value: name,
        message: `MetalLB pool "${name}" belongs to "argocd" and is left alone, since ${why}; rename it or delete it`,
      });
    }
    expect(objects.writes).toEqual([]);
  });

  test('refuses rather than deleting a pool that was changed since it was read', async () => {
    const { objects, pools } = world();
    await pools.publish('inet', set('192.0.2.8'));
    objects.beforeWrite = () => {
      objects.edit('inet', { addresses: ['192.0.2.0/24'] });
    };

    expect(refusal(await pools.publish('inet', PrefixSet.EMPTY))?.code).toBe('store/conflict');
    expect(objects.addresses('inet')).toEqual(['192.0.2.0/24']);
  });
});

describe('MetalLbPools.list', () => {
  test('shows every pool by value, and leaves out entries that are no addresses', async () => {
    const { objects, pools } = world();
    objects.edit('lab', { addresses: ['10.0.0.9/24', 'nonsense', '10.0.1.5 - 10.0.1.6', '10.0.2.9-10.0.2.1'] });

    const [pool] = await pools.list();
    expect(pool).toMatchObject({ name: 'lab', autoAssign: true, ours: false });
    expect(pool?.space.toString()).toBe('10.0.0.0-10.0.0.255, 10.0.1.5-10.0.1.6');
  });

  test('tells of a change by its name', () => {
    const { objects, pools } = world();
    const heard: string[] = [];
    const stop = pools.onChange((name) => heard.push(name));
    objects.edit('lab', { addresses: ['10.0.0.0/24'] });
    stop();
    objects.remove('lab');

    expect(heard).toEqual(['lab']);
  });
});
