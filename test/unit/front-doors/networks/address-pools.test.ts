import { listOf, metadataOf, type JsonMap } from '../../../../operator/contract/loose-json';
import { NEPHIO, NETWORK_ANNOTATIONS } from '../../../../operator/contract/nephio';
import { NetworkClaimsWorld } from '../../../support/network-claims-world';
import { selecting } from '../../../support/networks-world';

let world: NetworkClaimsWorld;

beforeEach(() => {
  world = new NetworkClaimsWorld();
  world.f2();
});

afterEach(() => world.close());

describe('an IPPrefix of kind network as pool', () => {
  test('gives an address of its subnet, with length and gateway of that', async () => {
    world.claim('cp', { pool: 'net1-p1' });
    await world.openClaims();
    expect(await world.served('cp')).toMatchObject({ address: '10.0.1.2', prefix: 24, gateway: '10.0.1.1' });
    expect(ownersOf(world.storedAddress('cp'))).toEqual(['IPAddressClaim cp', 'IPPrefix net1-p1']);
    expect(world.record()).toContain('10.0.1.2=cp');
  });

  test('gives nothing twice beside IPAllocations, whichever comes first', async () => {
    world.allocation('a1');
    world.claim('c1', { pool: 'net1-p1' });
    world.allocation('a2');
    world.claim('c2', { pool: 'net1-p1' });
    await world.openClaims();
    for (const name of ['a1', 'a2']) await world.ready('allocation', name);
    for (const name of ['c1', 'c2']) await world.served(name);
    const given = world.record().filter((each) => /=(a1|a2|c1|c2)$/u.test(each));
    expect(given.map((each) => each.split('=')[0])).toEqual(['10.0.1.2', '10.0.1.3', '10.0.1.4', '10.0.1.5']);
    world.allocation('wish', { prefix: `${given.find((each) => each.endsWith('=c1'))?.split('=')[0] ?? ''}/24` });
    expect(await world.refused('allocation', 'wish', 'PrefixInUse')).toContain('IPAddressClaim default/c1');
  });

  test('has a new gateway in the addresses that come later', async () => {
    world.change('prefix', 'net1-p1', { metadata: { labels: {} } });
    world.claim('before', { pool: 'net1-p1' });
    await world.openClaims();
    expect(await world.served('before')).not.toHaveProperty('gateway');
    world.prefix('net1-gw', '10.0.1.254/24', { network: 'net1', labels: { [NEPHIO.gateway]: 'true' } });
    await world.ready('prefix', 'net1-gw');
    world.claim('after', { pool: 'net1-p1' });
    expect(await world.served('after')).toMatchObject({ gateway: '10.0.1.254' });
    expect(await world.served('before')).not.toHaveProperty('gateway');
  });

  test('gives only its range where it declares one, and wakes the oldest claim when an address of that is free', async () => {
    world.prefix('few', '10.0.1.0/24', { network: 'net1', range: '10.0.1.50-10.0.1.51' });
    for (const name of ['a', 'b', 'c', 'd']) world.claim(name, { pool: 'few' });
    await world.openClaims();
    expect((await world.served('a'))['address']).toBe('10.0.1.50');
    expect((await world.served('b'))['address']).toBe('10.0.1.51');
    for (const name of ['c', 'd'])
      expect(await world.waits(name, 'PoolExhausted')).toBe('no address is free in IPPrefix few');
    await world.endClaim('b');
    expect((await world.served('c'))['address']).toBe('10.0.1.51');
    await world.waits('d', 'PoolExhausted');
  });

  test('waits for its acceptance, and gives nothing while it is drained', async () => {
    world.claim('early', { pool: 'late' });
    world.prefix('drained', '10.0.5.1/24', { network: 'net5', draining: true });
    world.claim('dry', { pool: 'drained' });
    world.claim('agg', { pool: 'agg0' });
    await world.openClaims();
    expect(await world.waits('early', 'PoolNotReady')).toBe('IPPrefix late does not exist');
    expect(await world.waits('dry', 'PoolNotReady')).toContain('drained');
    expect(await world.waits('agg', 'PoolNotReady')).toContain('kind aggregate');
    // another network has the subnet
    world.prefix('late', '10.0.1.9/24', { network: 'net9' });
    await world.refused('prefix', 'late', 'OtherNetwork');
    expect(await world.waits('early', 'PoolNotReady')).toContain('IPPrefix late');
    world.change('prefix', 'late', { spec: { network: 'net1' } });
    expect((await world.served('early'))['address']).toBe('10.0.1.8');
    world.change('prefix', 'drained', { spec: { draining: false } });
    expect((await world.served('dry'))['address']).toBe('10.0.5.2');
  });
});

test.each([
  ['loopback', '10.0.0.0'],
  ['pool', '10.0.0.0'],
])('an IPPrefix of kind %s gives single addresses', async (kind, first) => {
  world.prefix('own', '10.0.0.0/28', { kind });
  world.claim('c', { pool: 'own' });
  await world.openClaims();
  const spec = await world.served('c');
  expect(spec).toMatchObject({ address: first, prefix: 32 });
  expect(spec).not.toHaveProperty('gateway');
});

describe('a NetworkInstance as pool', () => {
  const instance = { kind: 'NetworkInstance', pool: 'vpc-1' } as const;
  const naming = (network: string): JsonMap => ({ [NETWORK_ANNOTATIONS.networkName]: network });

  test('gives from the network that the claim names, else from that of its own annotation', async () => {
    world.prefix('net2-p1', '10.0.2.1/24', { network: 'net2' });
    world.claim('any', instance);
    world.claim('net2', { ...instance, annotations: naming('net2') });
    await world.openClaims();
    expect(await world.waits('any', 'PoolNotReady')).toContain(NETWORK_ANNOTATIONS.networkName);
    expect((await world.served('net2'))['address']).toBe('10.0.2.2');
    world.change('instance', 'vpc-1', { metadata: { annotations: naming('net1') } });
    expect(await world.served('any')).toMatchObject({ address: '10.0.1.2', gateway: '10.0.1.1' });
  });

  test('has a line for each of its networks, so that a full one keeps none of the others waiting', async () => {
    world.prefix('net2-p1', '10.0.2.0/31', { network: 'net2' });
    world.prefix('net3-p1', '10.0.3.0/31', { network: 'net3' });
    for (const network of ['net2', 'net3'])
      for (const name of ['has', 'waits'])
        world.claim(`${network}-${name}`, { ...instance, annotations: naming(network) });
    await world.openClaims();
    for (const network of ['net2', 'net3']) {
      await world.served(`${network}-has`);
      expect(await world.waits(`${network}-waits`, 'PoolExhausted')).toContain(`network ${network}`);
    }
    await world.endClaim('net3-has');
    expect((await world.served('net3-waits'))['address']).toBe('10.0.3.1');
    await world.waits('net2-waits', 'PoolExhausted');
  });
});

describe('what a claim has', () => {
  test('holds the IPPrefix, and is free once the claim is gone', async () => {
    world.claim('c', { pool: 'net1-p1' });
    await world.openClaims();
    await world.served('c');
    await world.remove('prefix', 'net1-p1');
    await world.until('the IPPrefix says who uses it', () =>
      JSON.stringify(world.stored('prefix', 'net1-p1')).includes('IPAddressClaim default/c'),
    );
    world.claim('late', { pool: 'net1-p1' });
    expect(await world.waits('late', 'PoolNotReady')).toContain('is being deleted');
    await world.endClaim('c');
    await world.gone('prefix', 'net1-p1');
    expect(world.record()).toEqual(['10.0.0.0/8=agg0']);
  });

  test('comes on record again before anything is given, after a restore without the claims of the record', async () => {
    world.claim('moved', { pool: 'net1-p1', uid: 'uid-new' });
    world.address('moved', '10.0.1.2', 'net1-p1');
    world.allocation('a1');
    await world.openClaims();
    expect((await world.served('moved'))['address']).toBe('10.0.1.2');
    await world.ready('allocation', 'a1', '10.0.1.3/32');
  });

  test('is refused to an IPAddress of a tenant that is none of the pool', async () => {
    world.claim('c', { pool: 'net1-p1' });
    world.address('c', '10.0.7.7', 'net1-p1');
    world.claim('taken', { pool: 'net1-p1' });
    world.address('taken', '10.0.1.1', 'net1-p1');
    await world.openClaims();
    expect(await world.waits('c', 'AllocationFailed')).toContain('10.0.7.7 lies in no prefix of the pool');
    expect(await world.waits('taken', 'AllocationFailed')).toContain('IPPrefix default/net1-p1 holds');
  });

  test('goes over to the claim that was made anew under its name', async () => {
    world.claim('c', { pool: 'net1-p1', uid: 'one' });
    const end = await world.openClaims();
    const spec = await world.served('c');
    await end();
    await world.close();
    world.server.put(world.pathOf('claim', 'c'), {
      ...(world.server.get(world.pathOf('claim', 'c')) ?? {}),
      metadata: { ...metadataOf(world.server.get(world.pathOf('claim', 'c'))), uid: 'two' },
    });
    await world.openClaims();
    await world.until('the IPAddress has the new owner', () =>
      JSON.stringify(world.storedAddress('c')).includes('"two"'),
    );
    expect(await world.served('c')).toEqual(spec);
    expect(world.record().filter((each) => each.endsWith('=c'))).toEqual(['10.0.1.2=c']);
  });

  describe('is not that of a claim stored anew under its name', () => {
    beforeEach(() => {
      world.prefix('net5', '10.0.5.1/24', { network: 'net5' });
      world.prefix('few', '10.0.1.0/24', { network: 'net1', range: '10.0.1.50-10.0.1.51' });
      world.claim('c', { pool: 'net1-p1', uid: 'one' });
    });

    /** Ends every process, and stores what other programs do meanwhile. */
    async function whileDown(change: () => void): Promise<void> {
      await world.openClaims();
      expect((await world.served('c'))['address']).toBe('10.0.1.2');
      await world.close();
      world.server.remove(world.pathOf('address', 'c'));
      change();
      await world.openClaims();
    }

    test.each([
      ['another IPPrefix', { pool: 'net5' }, 'IPPrefix net5'],
      ['a range that has it not', { pool: 'few' }, 'IPPrefix few'],
      ['a pool that is not there', { pool: 'none' }, 'IPPrefix none does not exist'],
      [
        'another network of the NetworkInstance',
        { kind: 'NetworkInstance', pool: 'vpc-1', annotations: { [NETWORK_ANNOTATIONS.networkName]: 'net5' } },
        'NetworkInstance vpc-1',
      ],
    ] as const)('with %s', async (_what, refersTo, named) => {
      await whileDown(() => {
        world.claim('c', { ...refersTo, uid: 'two' });
      });
      const message = await world.waits('c', 'PoolNotReady');
      expect(message).toContain(named);
      expect(message).toMatch(/10\.0\.1\.2 from 10\.0\.1\.0\/24|does not exist/u);
      expect(world.record()).toContain('10.0.1.2=c');
      expect(world.storedAddress('c')).toEqual({});
    });

    test('although an IPAddress of the other pool shows it', async () => {
      await whileDown(() => {
        world.claim('c', { pool: 'net5', uid: 'two' });
        world.address('c', '10.0.1.2', 'net5');
      });
      expect(await world.waits('c', 'PoolNotReady')).toContain('10.0.1.2 from 10.0.1.0/24');
    });

    test('and is free once the end of the former one is seen, so that the new one has its own', async () => {
      await world.openClaims();
      await world.served('c');
      const path = world.pathOf('claim', 'c');
      world.server.remove(world.pathOf('address', 'c'));
      world.server.remove(path);
      world.claim('c', { pool: 'net5', uid: 'two' });
      await world.until('it has one of its pool', () => world.record().includes('10.0.5.2=c'));
      expect((await world.served('c'))['address']).toBe('10.0.5.2');
      await world.until('the former one is free', () => !world.record().includes('10.0.1.2=c'));
    });

    test('but is that of one with the same pool', async () => {
      await whileDown(() => {
        world.claim('c', { pool: 'net1-p1', uid: 'two' });
      });
      await world.until('it has its IPAddress', () => JSON.stringify(world.storedAddress('c')).includes('"two"'));
      expect((await world.served('c'))['address']).toBe('10.0.1.2');
    });
  });

  test('is what an IPAddress shows, whatever excluded and range of its pool say', async () => {
    world.prefix('net5', '10.0.5.1/24', { network: 'net5', excluded: ['10.0.5.77'] });
    world.prefix('few', '10.0.1.0/24', { network: 'net1', range: '10.0.1.50-10.0.1.51' });
    await world.openClaims();
    await world.ready('prefix', 'net5');
    await world.ready('prefix', 'few');
    world.address('x', '10.0.5.77', 'net5');
    world.claim('x', { pool: 'net5' });
    world.address('r', '10.0.1.60', 'few');
    world.claim('r', { pool: 'few' });
    expect((await world.served('x'))['address']).toBe('10.0.5.77');
    expect((await world.served('r'))['address']).toBe('10.0.1.60');
  });

  test('stays when an IPAllocation selects it by a label that both have', async () => {
    world.claim('c', { pool: 'net1-p1' });
    await world.openClaims();
    await world.served('c');
    world.allocation('a', { selector: selecting('net1', { [NEPHIO.prefixName]: 'c' }) });
    expect(await world.refused('allocation', 'a', 'NoCandidate')).toContain('matches no prefix');
  });
});

const ownersOf = (object: JsonMap): readonly string[] =>
  (listOf(metadataOf(object)['ownerReferences']) as readonly JsonMap[]).map(
    ({ kind, name }) => `${String(kind)} ${String(name)}`,
  );
