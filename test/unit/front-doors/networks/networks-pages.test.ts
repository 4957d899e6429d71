import { listOf, mapOf, metadataOf, textOf } from '../../../../operator/contract/loose-json';
import { ADDRESS_CLAIM } from '../../../../operator/contract/kinds/address-claim';
import { NEPHIO } from '../../../../operator/contract/nephio';
import { NetworksWorld, selecting } from '../../../support/networks-world';

let world: NetworksWorld;

beforeEach(async () => {
  world = new NetworksWorld();
  await world.open();
  world.f2();
  await world.ready('prefix', 'net1-p1');
  await world.ready('prefix', 'agg0');
});

afterEach(() => world.close());

/** Findings as `verdict check: finding`. */
async function findings(): Promise<readonly string[]> {
  const { findings: found } = await world.page('/networks/findings');
  return listOf(found)
    .map(mapOf)
    .map(({ verdict, check, finding }) => `${textOf(verdict)} ${textOf(check)}: ${textOf(finding)}`);
}

async function sentences(path: string): Promise<readonly string[]> {
  const { sentences: told } = await world.page(path);
  return listOf(told).map((each) => textOf(each).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/u, 'TIME'));
}

describe('the findings', () => {
  test('are none where everything is ready', async () => {
    world.allocation('a');
    await world.ready('allocation', 'a');
    expect(await world.page('/networks/findings')).toEqual({
      check: 'NetworkInstances',
      well: '1 NetworkInstances, 2 IPPrefixes and 1 IPAllocations are ready, with 4 entries on record',
      counted: 'ipam_network_',
      findings: [],
    });
  });

  test('name what is refused, and why', async () => {
    world.prefix('twice', '10.0.1.1/24', { network: 'net1' });
    world.allocation('lost', { selector: selecting('net9') });
    await world.refused('prefix', 'twice', 'PrefixInUse');
    await world.refused('allocation', 'lost', 'NoCandidate');
    expect(await findings()).toEqual([
      expect.stringMatching(/^bad IPPrefix default\/twice: is not ready since \S+ \(PrefixInUse\): .*net1-p1/u),
      expect.stringMatching(/^bad IPAllocation default\/lost: is not ready since \S+ \(NoCandidate\): /u),
    ]);
  });

  test('name what the deletion of a prefix waits for, finalizers of other programs too', async () => {
    world.allocation('a');
    await world.ready('allocation', 'a');
    const { finalizers } = metadataOf(world.stored('prefix', 'net1-p1'));
    world.change('prefix', 'net1-p1', { metadata: { finalizers: [...listOf(finalizers), 'other.example/hold'] } });
    await world.remove('prefix', 'net1-p1');
    await world.until('it is held', () => world.condition('prefix', 'net1-p1', 'InUse') !== undefined);
    const finding =
      'is being deleted, and held: 1 in use: IPAllocation default/a, and the finalizer other.example/hold of another program';
    expect(await findings()).toEqual([`watch IPPrefix default/net1-p1: ${finding}`]);
  });

  test('name an entry whose object is missing, and until when it stays', async () => {
    world.allocation('a');
    await world.ready('allocation', 'a');
    await world.close();
    world.server.remove(world.path('allocation', 'a'));
    await world.open();
    await world.until('it is missed', () =>
      world.logger.text.includes('is on record for an object that is not stored'),
    );
    expect(await findings()).toEqual([
      expect.stringMatching(
        /^watch AddressClaim 10\.0\.1\.2\/32: is on record for IPAllocation default\/a, which is not stored, and is given back at \S+Z$/u,
      ),
    ]);
  });

  test('name an object that shows a place which is not on record', async () => {
    world.allocation('paused', {}, { annotations: { 'ipam.vitistack.io/paused': '' } });
    const claim = { metadata: {}, spec: { kind: 'network', selector: selecting('net9') } };
    world.server.put(world.path('allocation', 'shows'), {
      ...claim,
      metadata: { namespace: 'default', name: 'shows', generation: 1 },
      status: { prefix: '10.0.7.7/32' },
    });
    await world.refused('allocation', 'shows', 'NoCandidate');
    const found = await findings();
    expect(found).toContain('bad IPAllocation default/shows: shows 10.0.7.7/32, and nothing is on record for it');
    expect(found).toContain('watch IPAllocation default/paused: is paused, so nothing is done about it');
  });

  test('name a claim that was made by hand', async () => {
    const [first] = world.server.all(CLAIMS);
    const { entry: _entry, ...spec } = mapOf(first?.['spec']);
    const holder = { ...mapOf(spec['holder']), kind: 'Router', name: 'r1' };
    const name = 'default.vpc-1.10.0.1.9';
    world.server.put(`${CLAIMS}/${name}`, {
      ...first,
      metadata: { name },
      spec: { ...spec, address: '10.0.1.9', holder },
    });
    const finding = 'was made by hand for Router default/r1, and blocks its space in NetworkInstance default/vpc-1';
    const text = `watch AddressClaim 10.0.1.9/32: ${finding}`;
    let found: readonly string[] = [];
    while (!found.includes(text)) found = await findings();
    expect(found).toEqual([text]);
  });

  test('name 50 of a kind, and count the others', async () => {
    for (let index = 0; index < 60; index++) world.allocation(`w${String(index)}`, { selector: selecting('net9') });
    for (let index = 0; index < 60; index++) await world.refused('allocation', `w${String(index)}`, 'NoCandidate');
    const found = await findings();
    expect([found.length, found.at(-1)]).toEqual([51, expect.stringMatching(/: and 10 more$/u)]);
  });
});

const CLAIMS = `/apis/${ADDRESS_CLAIM.group}/${ADDRESS_CLAIM.version}/${ADDRESS_CLAIM.plural}`;

describe('the explanation of an address', () => {
  test('tells holder, user, parent and since when', async () => {
    world.prefix('net1-p10', '10.0.1.10/24', { network: 'net1', labels: { [NEPHIO.interface]: 'n3' } });
    await world.ready('prefix', 'net1-p10');
    world.allocation('n3', { selector: selecting('net1', { [NEPHIO.interface]: 'n3' }) });
    await world.ready('allocation', 'n3', '10.0.1.10/32');
    expect(await sentences('/networks/addresses/10.0.1.10')).toEqual([
      'IPPrefix default/net1-p10 holds 10.0.1.10 of 10.0.1.0/24 in NetworkInstance default/vpc-1 since TIME',
      'IPAllocation default/n3 uses it',
    ]);
    const { entries } = await world.page('/networks/addresses/10.0.1.10');
    expect(entries).toMatchObject([
      { prefix: '10.0.1.10/32', instance: 'default/vpc-1', role: 'host', user: { name: 'n3' } },
    ]);
  });

  test('tells in each instance apart', async () => {
    world.instance('vpc-2');
    world.prefix('other', '10.0.1.2/24', { network: 'net1', networkInstance: 'vpc-2' });
    await world.ready('prefix', 'other');
    expect(await sentences('/networks/addresses/10.0.1.2')).toEqual([
      '10.0.1.2 is free in 10.0.1.0/24 of NetworkInstance default/vpc-1',
      'IPPrefix default/other holds 10.0.1.2 of 10.0.1.0/24 in NetworkInstance default/vpc-2 since TIME',
    ]);
  });

  test.each([
    ['an excluded one', '10.0.1.20', /^it is excluded/u],
    ['the first one of a subnet', '10.0.1.0', /^it is the first address of its subnet, which no host can have$/u],
    ['the last one of a subnet', '10.0.1.255', /^it is the last address of its subnet, which no host can have$/u],
    ['one of a range', '10.0.1.50', /^it lies in a range of an IPPrefix/u],
  ])('tells why %s is not given', async (_what, address, why) => {
    world.change('prefix', 'net1-p1', { spec: { excluded: ['10.0.1.20'] } });
    world.prefix('few', '10.0.1.0/24', { network: 'net1', range: '10.0.1.50-10.0.1.51' });
    let told: readonly string[] = [];
    while (told.length < 2) told = await sentences(`/networks/addresses/${address}`);
    expect(told).toEqual([
      `${address} lies in 10.0.1.0/24 of NetworkInstance default/vpc-1, and is not given by itself`,
      expect.stringMatching(why),
    ]);
  });

  test('tells what gives an address that lies in an aggregate alone', async () => {
    expect(await sentences('/networks/addresses/10.200.0.1')).toEqual([
      '10.200.0.1 is free in 10.0.0.0/8 of NetworkInstance default/vpc-1, an aggregate, which gives to requests of kind pool or loopback alone',
    ]);
  });

  test('finds both addresses of a link, and the last one of an IPv6 subnet, free', async () => {
    world.prefix('link', '10.0.6.0/31', { network: 'link' });
    world.prefix('net6', '2001:db8::1/64', { network: 'net6' });
    await world.ready('prefix', 'link');
    await world.ready('prefix', 'net6');
    for (const address of ['10.0.6.1', '2001:db8::ffff:ffff:ffff:ffff'])
      expect(await sentences(`/networks/addresses/${address}`)).toEqual([
        expect.stringContaining(`${address} is free in `),
      ]);
  });

  test('does not know one that lies nowhere, and refuses what is none', async () => {
    expect(await world.page('/networks/addresses/192.0.2.1')).toMatchObject({ known: false, entries: [] });
    expect(await world.page('/networks/addresses/10.0.1.300')).toMatchObject({ code: 'address/malformed' });
  });
});

describe('the explanation of a name', () => {
  test('tells what the objects of the name have, and for what they wait', async () => {
    world.allocation('x');
    await world.ready('allocation', 'x');
    world.prefix('x', '10.0.1.1/24', { network: 'net1' });
    await world.refused('prefix', 'x', 'PrefixInUse');
    expect(await sentences('/networks/objects/default/x')).toEqual([
      'IPAllocation default/x holds 10.0.1.2 of 10.0.1.0/24 in NetworkInstance default/vpc-1 since TIME',
      'IPAllocation default/x is ready since TIME (Accepted)',
      expect.stringMatching(/^IPPrefix default\/x waits since TIME \(PrefixInUse\): /u),
    ]);
  });

  test('does not know a name without an object', async () => {
    expect(await world.page('/networks/objects/default/none')).toEqual({ known: false, sentences: [], entries: [] });
  });
});

test('the history tells the holder and the Events that name the address', async () => {
  world.allocation('wish', { prefix: '10.0.1.1/24' });
  await world.refused('allocation', 'wish', 'PrefixInUse');
  await world.until('it is told', () => world.events.length > 0);
  const { entries, events } = await world.page('/networks/addresses/10.0.1.1/history');
  expect(entries).toMatchObject([{ prefix: '10.0.1.1/32', holder: { kind: 'IPPrefix', name: 'net1-p1' } }]);
  expect(events).toMatchObject([{ reason: 'PrefixInUse', object: 'IPAllocation default/wish' }]);
  const { events: ofOther } = await world.page('/networks/addresses/10.0.1.10/history');
  expect(ofOther).toEqual([]);
});
