import { parseAddress } from '../../../../../operator/addressing/address';
import { EGRESS_FINALIZER, OLD_EGRESS_FINALIZER } from '../../../../../operator/contract/egress';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../../../operator/contract/loose-json';
import { valueOf } from '../../../../../operator/errors/ipam-error';
import type { EgressPagesParts } from '../../../../../operator/front-doors/egress/admin/egress-pages-parts';
import type { EgressDataplane } from '../../../../../operator/ports/egress-dataplane';
import { egressSpec } from '../../../../support/egress-kind-samples';
import { egressPage, egressSentences, type BesidePages } from '../../../../support/egress-pages';
import { EgressWorld } from '../../../../support/egress-world';

const NET = { CIDR: '10.0.0.0/30', labelValue: 'a' };
const OTHER = { CIDR: '10.1.0.0/29', labelValue: 'b', reservedIPs: ['10.1.0.4'] };

let world: EgressWorld;

beforeEach(async () => {
  world = new EgressWorld();
  world.ipam('bm', { ...egressSpec(NET, OTHER), dataplane: 'none', quarantineSeconds: 600 });
  world.namespace('shop', 'bm');
  await world.open();
  await world.has('shop', '10.0.0.1,10.1.0.1');
  await world.status('bm', 'is ready', () => world.condition('bm', 'Ready')[0] === 'True');
});

afterEach(() => world.close());

/** Findings as `verdict check: finding`. */
async function findings(beside?: BesidePages): Promise<readonly string[]> {
  const { findings: found } = await egressPage(world, '/findings', beside);
  return listOf(found)
    .map(mapOf)
    .map(({ verdict, check, finding }) => `${textOf(verdict)} ${textOf(check)}: ${textOf(finding)}`);
}

/** A watch that knows these objects, and will know no others. */
const standing = (...objects: readonly JsonMap[]) => ({
  list: () => objects,
  get: () => objects[0],
  whenSynced: () => Promise.resolve(),
});

/** A dataplane that has placed the first of two addresses. */
function placing(address: string): Pick<EgressPagesParts, 'dataplanes'> {
  const dataplane = {
    name: 'ovn-kubernetes',
    placed: () => [
      { address: valueOf(parseAddress(address)), node: 'worker-1', isEffective: true },
      { address: valueOf(parseAddress(address)), node: 'worker-2', isEffective: false },
    ],
    foreign: () => [],
    problemOf: () => ({ reason: 'NoNode', message: 'no node is labelled' }),
  } as unknown as EgressDataplane;
  const dataplanes: EgressPagesParts['dataplanes'] = {
    open: () => [dataplane],
    find: () => dataplane,
    choose: () => ({ kind: 'driver', dataplane }),
    whenKnown: () => Promise.resolve(),
    onChange: () => () => undefined,
  };
  return { dataplanes };
}

describe('the findings', () => {
  test('are none where every namespace is served', async () => {
    expect(await egressPage(world, '/findings')).toEqual({
      check: 'EgressIPAMs',
      well: '1 EgressIPAMs are ready, and 1 namespaces have what they ask for, with 2 addresses on record',
      counted: 'ipam_egress_',
      findings: [],
    });
  });

  test('name namespaces that wait, and a full CIDR', async () => {
    world.namespace('blog', 'bm');
    world.namespace('late', 'bm');
    world.namespace('lost', 'none');
    world.namespace('wrong', 'bm', '10.9.0.1');
    await world.told('late', 'PoolExhausted');
    await world.told('wrong', 'AddressOutOfRange');

    expect(await findings()).toEqual([
      'watch EgressIPAM bm: is full in 10.0.0.0/30: a new namespace finds no free address',
      'bad Namespace late: waits (PoolExhausted): 10.0.0.0/30 of EgressIPAM bm has no free address',
      expect.stringMatching(/^bad Namespace lost: waits \(EgressIPAMNotFound\): .*"none" does not exist$/u),
      expect.stringMatching(/^bad Namespace wrong: waits \(AddressOutOfRange\): 10\.9\.0\.1 lies in no CIDR/u),
      'watch Namespace wrong: lists 10.9.0.1, which is not on record for it',
    ]);
  });

  test('name an EgressIPAM that gives nothing, one that is not carried, and one that is being deleted', async () => {
    world.ipam('twin', { ...egressSpec(NET), dataplane: 'none' });
    world.ipam('bare', egressSpec({ CIDR: '10.2.0.0/29', labelValue: 'a' }));
    await world.status('bare', 'is not ready', () => world.condition('bare', 'Ready')[0] === 'False');
    const { finalizers } = metadataOf(world.storedIpam('bm'));
    expect(finalizers).toEqual([EGRESS_FINALIZER]);
    await world.removeIpam('bm');
    const { twin, bare, bm } = Object.fromEntries(
      (await findings()).map((text) => [/EgressIPAM (\w+)/u.exec(text)?.[1] ?? '', text]),
    );

    expect(twin).toMatch(/^bad EgressIPAM twin: gives nothing new \(Overlap\): .*belongs to EgressIPAM bm already/u);
    expect(bare).toMatch(/^bad EgressIPAM bare: is not ready since \S+Z \(NoDriver\): /u);
    expect(bm).toMatch(/^watch EgressIPAM bm: is being deleted, and waits until its namespaces gave/u);
  });

  test('name addresses of a namespace that was deleted while no process led', async () => {
    await world.close();
    const { latest } = world;
    expect(latest).toBeDefined();
    world.removeNamespace('shop');
    world.latest = { ...latest, namespaces: standing() } as never;

    expect(await findings()).toEqual([
      expect.stringMatching(/^watch AddressClaim 10\.0\.0\.1: is on record for Namespace shop, which is not stored/u),
      expect.stringMatching(/^watch AddressClaim 10\.1\.0\.1: /u),
    ]);
  });

  test('name the finalizer of the older operator, until the process that leads takes it off', async () => {
    const bm = world.storedIpam('bm');
    const old = { ...bm, metadata: { ...metadataOf(bm), finalizers: [OLD_EGRESS_FINALIZER] } };
    const { latest } = world;
    world.latest = { ...latest, egressIpams: standing(old) } as never;

    expect(await findings()).toEqual([
      `watch EgressIPAM bm: has the finalizer ${OLD_EGRESS_FINALIZER} of the older operator`,
    ]);
  });

  test('name an address that no node carries, where a dataplane would carry it', async () => {
    expect(await findings(placing('10.0.0.1'))).toEqual([
      'bad Namespace shop: has 10.1.0.1, which no node carries (NoNode): no node is labelled',
    ]);
  });
});

describe('the explanation of an object', () => {
  test('tells the EgressIPAM of a namespace, its addresses, and the node of each', async () => {
    expect(await egressSentences(world, '/objects/namespace/shop', placing('10.0.0.1'))).toEqual([
      'Namespace shop opts in to EgressIPAM "bm"',
      'Namespace shop holds 10.0.0.1 of EgressIPAM bm since TIME',
      'Node worker-1 carries 10.0.0.1',
      'Namespace shop holds 10.1.0.1 of EgressIPAM bm since TIME',
      'no node carries 10.1.0.1: no node is labelled (NoNode)',
    ]);
    const { known, addresses } = await egressPage(world, '/objects/namespace/shop', placing('10.0.0.1'));
    expect([known, addresses]).toMatchObject([
      true,
      [
        { address: '10.0.0.1', namespace: 'shop', egressIpam: 'bm', state: 'held', node: 'worker-1' },
        { address: '10.1.0.1', network: 'default' },
      ],
    ]);
  });

  test('tells what a namespace waits for', async () => {
    world.namespace('blog', 'bm');
    world.namespace('late', 'bm');
    await world.told('late', 'PoolExhausted');
    expect(await egressSentences(world, '/objects/namespace/late')).toEqual([
      'Namespace late opts in to EgressIPAM "bm"',
      'it waits (PoolExhausted): 10.0.0.0/30 of EgressIPAM bm has no free address',
    ]);
  });

  test('tells of a namespace that lists an address of another one', async () => {
    world.namespace('thief', 'bm', '10.0.0.2,10.1.0.1');
    await world.told('thief', 'AddressInUse');
    expect(await egressSentences(world, '/objects/namespace/thief')).toEqual([
      'Namespace thief opts in to EgressIPAM "bm"',
      'it waits (AddressInUse): 10.1.0.1 is held by Namespace shop',
    ]);
  });

  test('tells of an EgressIPAM what it gives, and of one that is gone what is left of it', async () => {
    expect(await egressSentences(world, '/objects/egressipam/bm')).toEqual([
      'EgressIPAM bm gives addresses of 10.0.0.0/30, 10.1.0.0/29',
      'namespaces that opt in to it: 1; addresses on record: 2',
      'EgressIPAM bm is ready since TIME (Applied): namespaces are given addresses of every CIDR',
    ]);
  });

  test.each([
    ['a namespace that does not opt in', '/objects/namespace/plain'],
    ['an unknown namespace', '/objects/namespace/none'],
    ['a Service', '/objects/shop/web'],
    ['an unknown EgressIPAM', '/objects/egressipam/none'],
  ])('does not know %s', async (_title, path) => {
    world.namespace('plain');
    expect(await egressPage(world, path)).toEqual({ known: false, sentences: [], addresses: [] });
  });
});

describe('the explanation of an address', () => {
  test.each([
    ['10.0.0.1', 'Namespace shop holds 10.0.0.1 of EgressIPAM bm since TIME'],
    ['10.0.0.2', '10.0.0.2 is free in 10.0.0.0/30 of EgressIPAM bm'],
    ['10.1.0.4', '10.1.0.4 of 10.1.0.0/29 of EgressIPAM bm is reserved'],
    ['10.1.0.3', '10.1.0.3 of 10.1.0.0/29 of EgressIPAM bm is in use by Node worker-9'],
    ['10.7.0.1', '10.7.0.1 lies in no CIDR of an EgressIPAM'],
  ])('tells of %s: %s', async (address, says) => {
    world.show('10.1.0.3', 'Node worker-9');
    expect(await egressSentences(world, `/addresses/${address}`)).toEqual([says]);
  });

  test('tells until when the former namespace alone may have it', async () => {
    world.annotate('shop', { egressIpam: undefined, list: undefined });
    await world.recorded('10.0.0.1=shop?', '10.1.0.1=shop?');
    expect(await egressSentences(world, '/addresses/10.0.0.1')).toEqual([
      '10.0.0.1 of EgressIPAM bm was released, and is kept for Namespace shop until TIME',
    ]);
  });

  test('refuses what is no address', async () => {
    expect(await egressPage(world, '/addresses/10.0.0.x')).toMatchObject({ code: 'address/malformed' });
  });
});

test('the history tells the holder and the Events that name the address', async () => {
  const told = (message: string) => ({
    time: '2026-01-01T00:00:00Z',
    reason: 'AddressInUse',
    message,
    regarding: { kind: 'Namespace', namespace: '', name: 'thief' },
  });
  const recordedEvents = {
    recorded: () => Promise.resolve([told('10.0.0.1 is held by Namespace shop'), told('10.0.0.11 is held')]),
  };
  expect(await egressPage(world, '/addresses/10.0.0.1/history', { recordedEvents })).toMatchObject({
    addresses: [{ address: '10.0.0.1', namespace: 'shop', state: 'held' }],
    events: [{ object: 'Namespace thief', message: '10.0.0.1 is held by Namespace shop' }],
  });
});

test('the tree has every EgressIPAM with its CIDRs and what is on record in them', async () => {
  expect(await egressPage(world, '/tree')).toMatchObject({
    egressIpams: [
      {
        egressIpam: 'bm',
        network: 'default',
        dataplane: 'none',
        outside: [],
        cidrs: [
          { cidr: '10.0.0.0/30', labelValue: 'a', total: '4', free: '1', addresses: [{ address: '10.0.0.1' }] },
          { cidr: '10.1.0.0/29', labelValue: 'b', total: '8', free: '4', addresses: [{ address: '10.1.0.1' }] },
        ],
      },
    ],
    withoutIpam: [],
  });
});

test('the tree tells addresses of a CIDR that was taken out, and of an EgressIPAM that is gone', async () => {
  world.respec('bm', NET);
  await world.status('bm', 'has one CIDR', ({ pools }) => listOf(pools).length === 1);
  const { egressIpams } = await egressPage(world, '/tree');
  expect(listOf(egressIpams)).toMatchObject([{ outside: [{ address: '10.1.0.1', namespace: 'shop' }] }]);
  world.server.remove('/apis/redhatcop.redhat.io/v1alpha1/egressipams/bm');
  await world.told('shop', 'EgressIPAMNotFound');
  expect(await egressPage(world, '/tree')).toMatchObject({
    egressIpams: [],
    withoutIpam: [{ address: '10.0.0.1' }, { address: '10.1.0.1' }],
  });
  expect(await egressSentences(world, '/objects/egressipam/bm')).toEqual([
    'no EgressIPAM bm is stored, but addresses on record are from it: 2',
  ]);
});
