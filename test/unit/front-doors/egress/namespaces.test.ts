import { PrefixSet } from '../../../../operator/addressing/prefix-set';
import { prefixOf } from '../../../../operator/addressing/prefix';
import { egressSpec } from '../../../support/egress-kind-samples';
import { EgressWorld } from '../../../support/egress-world';

const NET = { CIDR: '10.0.0.0/29', labelValue: 'a' };
const OTHER = { CIDR: '10.1.0.0/29', labelValue: 'b' };

let world: EgressWorld;
beforeEach(() => {
  world = new EgressWorld();
});
afterEach(() => world.close());

/** Stores `bm` with these CIDRs and starts the door. */
async function opened(...entries: readonly object[]): Promise<() => Promise<void>> {
  world.ipam('bm', { ...egressSpec(...entries), dataplane: 'none' });
  return world.open();
}

test('EG-case-4 the older one of two namespaces has the lower address, and other annotations stay', async () => {
  world.namespace('b', 'bm');
  world.namespace('a', 'bm');
  await opened(NET);

  await world.has('b', '10.0.0.1');
  await world.has('a', '10.0.0.2');

  expect(world.annotations('a')['other']).toBe('stays');
  expect(world.record()).toEqual(['10.0.0.1=b', '10.0.0.2=a']);
});

test('EG-25 an address is on record before the namespace shows it', async () => {
  world.namespace('a', 'bm');
  await opened(NET);
  await world.has('a', '10.0.0.1');
  const writes = world.server.requests.filter(({ method }) => method === 'POST' || method === 'PATCH');
  const paths = writes.map(({ path }) => path);

  expect(paths.findIndex((path) => path.includes('addressclaims'))).toBeGreaterThan(-1);
  expect(paths.findIndex((path) => path.includes('addressclaims'))).toBeLessThan(
    paths.indexOf('/api/v1/namespaces/a/status'),
  );
});

test('EG-case-5 the seventh namespace of six addresses waits, and has the address of one that is deleted', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const name of names) world.namespace(name, 'bm');
  await opened(NET);
  await world.has('f', '10.0.0.6');
  world.namespace('late', 'bm');
  await world.told('late', 'PoolExhausted');
  await world.status('bm', 'is full', ({ free }) => free === '0');
  expect(world.condition('bm', 'CapacityExhausted')).toEqual(['True', 'PoolExhausted']);
  const full = await world.status('bm', 'one waits', () => world.condition('bm', 'Degraded')[0] === 'True');
  expect(full['namespaces']).toEqual({ assigned: 6, pending: 1, invalid: 0 });

  world.removeNamespace('c');

  await world.has('late', '10.0.0.3');
  const isLeft = (): boolean => world.condition('bm', 'CapacityExhausted')[0] === 'False';
  const status = await world.status('bm', 'no namespace waits', isLeft);
  expect(status['namespaces']).toEqual({ assigned: 6, pending: 0, invalid: 0 });
});

test('EG-case-10 two EgressIPAMs that may overlap give two namespaces two addresses, each by one claim', async () => {
  world.ipam('other', { ...egressSpec(NET), dataplane: 'none', allowOverlap: true });
  await opened(NET);
  await world.status('other', 'is known', () => world.condition('other', 'Ready')[0] === 'True');

  // in the same second, and before either is looked at
  world.sameTime = '2026-01-02T00:00:00Z';
  world.namespace('a', 'bm');
  world.namespace('b', 'other');

  await world.until('both are served', () => world.list('a') !== undefined && world.list('b') !== undefined);
  expect([world.list('a'), world.list('b')].toSorted()).toEqual(['10.0.0.1', '10.0.0.2']);
  expect(world.record()).toEqual([`${String(world.list('a'))}=a`, `${String(world.list('b'))}=b`].toSorted());
  expect(world.server.allPaths('addressclaims').map((path) => path.split('/').at(-1))).toEqual([
    'default.10.0.0.1',
    'default.10.0.0.2',
  ]);
});

test('EG-26 what one CIDR gave goes back where another one is full', async () => {
  world.namespace('a', 'bm');
  await opened(NET, { CIDR: '10.1.0.1/32', labelValue: 'b' });
  await world.has('a', '10.0.0.1,10.1.0.1');
  world.namespace('b', 'bm');

  await world.told('b', 'PoolExhausted');

  await world.recorded('10.0.0.1=a', '10.1.0.1=a');
  expect(world.list('b')).toBeUndefined();
});

test('EG-case-14 a CIDR that comes later adds its address alone', async () => {
  world.namespace('a', 'bm');
  await opened(NET);
  await world.has('a', '10.0.0.1');

  world.respec('bm', OTHER, NET);

  await world.has('a', '10.1.0.1,10.0.0.1');

  expect(world.record()).toEqual(['10.0.0.1=a', '10.1.0.1=a']);
});

test('EG-case-16 a list that was made before is kept, and EG-case-17 a wrong one stops no neighbour', async () => {
  world.namespace('wrong', 'bm', '10.9.9.9');
  world.namespace('good', 'bm', ' 10.0.0.4 ');
  world.namespace('twin', 'bm', '10.0.0.4');
  world.namespace('next', 'bm');
  await opened(NET);

  await world.told('wrong', 'AddressOutOfRange');
  await world.told('twin', 'AddressInUse');
  await world.has('next', '10.0.0.1');

  expect(world.list('good')).toBe(' 10.0.0.4 ');
  expect(world.record()).toEqual(['10.0.0.1=next', '10.0.0.4=good']);
  const { unserved } = await world.status('bm', 'names both', ({ unserved: all }) =>
    JSON.stringify([all]).includes('twin'),
  );
  expect(unserved).toMatchObject([
    { namespace: 'twin', reason: 'AddressInUse' },
    { namespace: 'wrong', reason: 'AddressOutOfRange' },
  ]);
});

test('EG-case-20 an opt-out takes the list off and releases', async () => {
  world.namespace('a', 'bm');
  await opened(NET);
  await world.has('a', '10.0.0.1');

  world.annotate('a', { egressIpam: undefined });

  await world.recorded();
  await world.has('a', undefined);

  expect(Object.keys(world.annotations('a'))).toEqual(['other']);
});

test('EG-case-21 a list that was taken off comes back with the same address', async () => {
  for (const name of ['a', 'b']) world.namespace(name, 'bm');
  await opened(NET);
  await world.has('b', '10.0.0.2');

  world.annotate('b', { list: undefined });

  await world.has('b', '10.0.0.2');

  expect(world.record()).toEqual(['10.0.0.1=a', '10.0.0.2=b']);
});

test('EG-case-22 a changed opt-in takes from the new one before the old one gets back', async () => {
  world.namespace('a', 'bm');
  await opened(NET);
  await world.has('a', '10.0.0.1');
  world.ipam('other', egressSpec(OTHER));

  world.annotate('a', { egressIpam: 'other' });

  await world.has('a', '10.1.0.1');
  await world.recorded('10.1.0.1=a');

  expect(world.list('a')).toBe('10.1.0.1');
});

test('EG-case-23 an edited list swaps the claim', async () => {
  world.namespace('a', 'bm');
  await opened(NET);
  await world.has('a', '10.0.0.1');

  world.annotate('a', { list: '10.0.0.5' });

  await world.recorded('10.0.0.5=a');
  expect(world.list('a')).toBe('10.0.0.5');
});

test('EG-case-29 a namespace is served once its EgressIPAM exists', async () => {
  world.namespace('a', 'bm');
  await world.open();
  await world.told('a', 'EgressIPAMNotFound');

  world.ipam('bm', egressSpec(NET));

  await world.has('a', '10.0.0.1');

  expect(world.record()).toEqual(['10.0.0.1=a']);
});

test('EG-22 addresses of Nodes and of stronger doors are never chosen, and those that tenants claim come last', async () => {
  world.show('10.0.0.1', 'Node/n1');
  world.show('10.0.0.2', 'Service/t/s', { kind: 'externalIPs' });
  world.stronger({ name: 'z', network: 'default', space: PrefixSet.of(prefixOf('10.0.0.4/30')) });
  for (const name of ['a', 'b', 'c']) world.namespace(name, 'bm');
  await opened(NET);

  await world.has('a', '10.0.0.3');
  await world.has('b', '10.0.0.2');
  await world.told('c', 'PoolExhausted');

  world.show('10.0.0.1');
  await world.has('c', '10.0.0.1');

  expect(world.record()).toEqual(['10.0.0.1=c', '10.0.0.2=b', '10.0.0.3=a']);
});

test('EG-22 addresses and prefixes that other doors hold in the same network are never given, and are once they are let go', async () => {
  const claim = (network: string) => ({ kind: 'claim', network }) as const;
  world.show('10.0.0.0/30', 'IPAllocation/t/block', claim('default'));
  world.show('10.0.0.4', 'IPAllocation/t/one', claim('default'));
  world.show('10.0.0.5', 'IPAllocation/t/elsewhere', claim('other'));
  world.namespace('wish', 'bm', '10.0.0.2');
  for (const name of ['a', 'b', 'c', 'd']) world.namespace(name, 'bm');
  await opened(NET);

  await world.told('wish', 'AddressInUse');
  await world.has('a', '10.0.0.5');
  await world.has('b', '10.0.0.6');
  await world.told('c', 'PoolExhausted');
  await world.told('d', 'PoolExhausted');

  world.show('10.0.0.0/30');
  await world.recorded('10.0.0.1=c', '10.0.0.2=wish', '10.0.0.3=d', '10.0.0.5=a', '10.0.0.6=b');
  expect(world.list('wish')).toBe('10.0.0.2');
});

test('EG-23 nothing is given while a source of uses cannot be read, and what namespaces have stays theirs', async () => {
  world.namespace('kept', 'bm', '10.0.0.4');
  world.namespace('a', 'bm');
  await opened(NET);
  await world.has('a', '10.0.0.1');

  world.unreadable = 'Nodes cannot be listed';
  world.namespace('b', 'bm');
  await world.told('b', 'UsesUnknown');
  world.annotate('a', { list: undefined });
  await world.has('a', '10.0.0.1');
  expect(world.list('b')).toBeUndefined();

  world.unreadable = undefined;
  world.clock.advance(5_000);
  await world.has('b', '10.0.0.2');
  expect(world.record()).toEqual(['10.0.0.1=a', '10.0.0.2=b', '10.0.0.4=kept']);
});

test('EG-23 a process that starts beside an unreadable source lets namespaces go, and gives once it can be read', async () => {
  world.namespace('a', 'bm', '10.0.0.1');
  const end = await opened(NET);
  await world.recorded('10.0.0.1=a');
  await end();
  world.removeNamespace('a');
  world.namespace('b', 'bm');
  world.unreadable = 'the Infrastructure cannot be listed';
  await world.open();

  await world.recorded();
  await world.told('b', 'UsesUnknown');
  expect(world.list('b')).toBeUndefined();

  world.unreadable = undefined;
  world.clock.advance(5_000);
  await world.has('b', '10.0.0.1');
});

test('EG-27 a CIDR that meets a network of Pods or Services gives nothing, and keeps what it gave', async () => {
  world.namespace('a', 'bm');
  const end = await opened(NET);
  await world.has('a', '10.0.0.1');
  await end();
  world.networks = [{ prefix: prefixOf('10.0.0.0/8'), source: 'Node/n1' }];
  world.namespace('b', 'bm');
  await world.open();

  await world.told('b', 'Overlap');
  expect([world.list('a'), world.list('b')]).toEqual(['10.0.0.1', undefined]);
});

test('an address that a namespace of an invalid EgressIPAM lists is chosen last', async () => {
  world.ipam('old', egressSpec({ CIDR: '10.0.0.5/29', labelValue: 'x' }));
  world.namespace('kept', 'old', '10.0.0.1');
  world.namespace('a', 'bm');
  await opened({ CIDR: '10.0.0.0/30', labelValue: 'a' });

  await world.has('a', '10.0.0.2');

  expect(world.list('kept')).toBe('10.0.0.1');
});

describe('a process that starts', () => {
  test('puts what namespaces list on record before it gives anything', async () => {
    world.namespace('young', 'bm');
    world.namespace('younger', 'bm', '10.0.0.1');
    await opened(NET);

    await world.has('young', '10.0.0.2');

    expect(world.record()).toEqual(['10.0.0.1=younger', '10.0.0.2=young']);
  });

  test('gives the older one an address that two list', async () => {
    world.namespace('older', 'bm', '10.0.0.3');
    world.namespace('younger', 'bm', '10.0.0.3');
    await opened(NET);

    await world.told('younger', 'AddressInUse');

    expect(world.record()).toEqual(['10.0.0.3=older']);
  });

  test('EG-case-24 releases what a namespace held that was deleted meanwhile, and writes nothing else', async () => {
    for (const name of ['a', 'b']) world.namespace(name, 'bm');
    world.ipam('bm', egressSpec(NET));
    const end = await world.open();
    await world.has('b', '10.0.0.2');
    await world.status('bm', 'is counted', ({ allocated }) => allocated === '2');
    await end();
    world.removeNamespace('a');
    const before = world.server.requests.length;

    await world.open();
    await world.recorded('10.0.0.2=b');
    await world.status('bm', 'is counted', ({ allocated }) => allocated === '1');

    const writes = world.server.requests.slice(before).filter(({ method }) => method !== 'GET');
    expect(writes.filter(({ path }) => path.includes('/namespaces/'))).toEqual([]);
  });
});

test('an opt-in without a name opts in to nothing, and an Event says so', async () => {
  world.ipam('bm', egressSpec(NET));
  world.namespace('a', 'bm');
  world.namespace('b', '');
  await world.open();
  await world.has('a', '10.0.0.1');
  await world.told('b', 'EmptyOptIn');
  expect(world.list('b')).toBeUndefined();

  world.annotate('a', { egressIpam: '' });

  await world.told('a', 'EmptyOptIn');
  await world.recorded();
  expect(world.list('a')).toBeUndefined();
});
