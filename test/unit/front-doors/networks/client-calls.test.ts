import { NEPHIO } from '../../../../operator/contract/nephio';
import { ADDRESS_CLAIM } from '../../../../operator/contract/kinds/address-claim';
import { mapOf } from '../../../../operator/contract/loose-json';
import type { AllocClient } from '../../../support/alloc-client';
import { addressOf, briefly } from '../../../support/alloc-client';
import { GrpcWorld } from '../../../support/grpc-world';
import { selecting } from '../../../support/networks-world';

let world: GrpcWorld;
let client: AllocClient;

beforeEach(async () => {
  world = new GrpcWorld();
  world.f2();
  client = await world.serve();
  await world.ready('prefix', 'net1-p1');
});

afterEach(() => world.close());

const pool = (name: string, prefixLength: number) => ({
  namespace: 'default',
  name,
  spec: { prefixkind: 'pool', prefixLength, selector: { [NEPHIO.networkInstance]: 'vpc-1' } },
});

describe('a call for an address', () => {
  test('NET-T102 is answered the same each time, with gateway and parent', async () => {
    const answer = { allocatedPrefix: '10.0.1.2/32', gateway: '10.0.1.1', parentPrefix: '10.0.1.0/24' };
    await expect(client.allocate(addressOf('g1'))).resolves.toEqual(answer);
    await expect(client.allocate(addressOf('g1'))).resolves.toEqual(answer);
    const claims = world.server.all(`/apis/${ADDRESS_CLAIM.group}/v1alpha1/addressclaims`);
    const spec = claims.map((claim) => mapOf(claim['spec'])).find(({ door }) => door === 'grpc');
    expect(spec).toMatchObject({
      address: '10.0.1.2',
      key: 'grpc/default/g1',
      state: 'bound',
      holder: { kind: 'Allocation', namespace: 'default', name: 'g1' },
    });
  });

  test('stands in one line with the IPAllocations', async () => {
    world.allocation('a1');
    await world.ready('allocation', 'a1', '10.0.1.2/32');
    expect(briefly(await client.allocate(addressOf('a1')))).toBe('10.0.1.3/32');
  });

  test('NET-T99 keeps its address over a restart, and nothing else has it meanwhile', async () => {
    expect(briefly(await client.allocate(addressOf('g1')))).toBe('10.0.1.2/32');
    client = await world.restart();
    world.allocation('a1');
    await world.ready('allocation', 'a1', '10.0.1.3/32');
    expect(briefly(await client.allocate(addressOf('g1')))).toBe('10.0.1.2/32');
  });

  test('NET-T101 260 calls at once on a /24 give exactly 253', async () => {
    const names = Array.from({ length: 260 }, (_, index) => `g${String(index)}`);
    const answers = await Promise.all(names.map(async (name) => briefly(await client.allocate(addressOf(name)))));
    const given = answers.filter((each) => each.startsWith('10.'));
    expect(new Set(given).size).toBe(253);
    expect(answers.filter((each) => each === 'RESOURCE_EXHAUSTED pool/exhausted')).toHaveLength(7);
    expect(given).toContain('10.0.1.254/32');
    expect(given).not.toContain('10.0.1.255/32');
  }, 60_000);

  test('two calls of one name at the same time are given one address', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.allocate(addressOf('g1'))));
    expect(new Set(answers.map(briefly))).toEqual(new Set(['10.0.1.2/32']));
    expect(world.record().filter((each) => each.endsWith('=g1'))).toEqual(['10.0.1.2=g1']);
  });

  test('NET-T108 succeeds, or is refused and has nothing, while the API server answers writes with conflicts', async () => {
    let left = 20;
    world.server.intercept = ({ method }) => {
      if (method === 'GET' || left === 0 || left-- % 2 === 0) return undefined;
      return { ok: false, status: 409, reason: 'Conflict', message: 'by the test', body: {} };
    };
    const names = Array.from({ length: 12 }, (_, index) => `g${String(index)}`);
    const answers = await Promise.all(names.map(async (name) => briefly(await client.allocate(addressOf(name)))));
    const held = (name: string) => world.record().filter((each) => each.endsWith(`=${name}`));
    for (const [index, name] of names.entries()) {
      const answer = answers[index] ?? '';
      expect(held(name)).toEqual(answer.endsWith('/32') ? [`${answer.slice(0, -3)}=${name}`] : []);
    }
    world.server.intercept = () => undefined;
    expect(left).toBe(0);
    const repeated = await Promise.all(names.map(async (name) => briefly(await client.allocate(addressOf(name)))));
    expect(new Set(repeated).size).toBe(12);
    const kept = answers.map((answer, index) => (answer.endsWith('/32') ? answer : repeated[index]));
    expect(repeated).toEqual(kept);
  });

  test('names the network in its own field too, and a family', async () => {
    world.prefix('net1-p6', '2001:db8:1:1::1/64', { network: 'net1' });
    await world.ready('prefix', 'net1-p6');
    const selector = { [NEPHIO.networkInstance]: 'vpc-1' };
    const spec = { prefixkind: 'network', network: 'net1', addressFamily: 'ipv6', selector };
    expect(briefly(await client.allocate({ namespace: 'default', name: 'g6', spec }))).toBe('2001:db8:1:1::2/128');
    const contradicting = { ...spec, selector: { ...selector, [NEPHIO.networkName]: 'net2' } };
    expect(briefly(await client.allocate({ namespace: 'default', name: 'g7', spec: contradicting }))).toBe(
      'INVALID_ARGUMENT selector/invalid',
    );
  });

  test('selects by expressions', async () => {
    const matchExpressions = [{ key: NEPHIO.networkName, operator: 'In', values: ['net1'] }];
    const spec = { prefixkind: 'network', selector: { [NEPHIO.networkInstance]: 'vpc-1' }, matchExpressions };
    expect(briefly(await client.allocate({ namespace: 'default', name: 'g1', spec }))).toBe('10.0.1.2/32');
  });

  test('may wish for one, and is told it in the length of the request each time', async () => {
    const wished = { ...addressOf('g1'), spec: { ...addressOf('g1').spec, prefix: '10.0.1.50/24' } };
    expect(briefly(await client.allocate(wished))).toBe('10.0.1.50/24');
    expect(briefly(await client.allocate(wished))).toBe('10.0.1.50/24');
    await expect(client.get({ namespace: 'default', name: 'g1' })).resolves.toMatchObject({
      allocatedPrefix: '10.0.1.50/24',
    });
    expect(briefly(await client.allocate({ ...wished, name: 'g2' }))).toBe('ALREADY_EXISTS prefix/in-use');
  });
});

describe('a name', () => {
  test('is given one thing: another request is refused, and what it has stays', async () => {
    await client.allocate(addressOf('g1'));
    expect(briefly(await client.allocate(pool('g1', 16)))).toBe('ALREADY_EXISTS request/changed');
    expect(briefly(await client.allocate(addressOf('g1')))).toBe('10.0.1.2/32');
  });

  test('is given one thing in all instances', async () => {
    world.instance('vpc-2');
    world.create('prefix', 'other', { spec: { kind: 'aggregate', prefix: '10.0.0.0/8', networkInstance: 'vpc-2' } });
    await world.ready('prefix', 'other');
    await client.allocate(addressOf('g1'));
    const elsewhere = pool('g1', 16);
    const selector = { [NEPHIO.networkInstance]: 'vpc-2' };
    expect(briefly(await client.allocate({ ...elsewhere, spec: { ...elsewhere.spec, selector } }))).toBe(
      'ALREADY_EXISTS request/changed',
    );
  });

  test('of 253 characters has a key of its own', async () => {
    const long = (end: string): string => `${'a'.repeat(252)}${end}`;
    expect(briefly(await client.allocate(addressOf(long('x'))))).toBe('10.0.1.2/32');
    expect(briefly(await client.allocate(addressOf(long('y'))))).toBe('10.0.1.3/32');
    expect(briefly(await client.allocate(addressOf(long('x'))))).toBe('10.0.1.2/32');
  });
});

describe('a release', () => {
  test('NET-T103 frees the address for the next call', async () => {
    await client.allocate(addressOf('g1'));
    await expect(client.deallocate({ namespace: 'default', name: 'g1' })).resolves.toEqual({
      allocatedPrefix: '',
      gateway: '',
      parentPrefix: '',
    });
    expect(briefly(await client.allocate(addressOf('g2')))).toBe('10.0.1.2/32');
  });

  test('NET-T104 of an unknown name is fine', async () => {
    expect(briefly(await client.deallocate({ namespace: 'default', name: 'nobody' }))).toBe('');
    expect(world.record()).toHaveLength(3);
  });

  test('lets the recorded host go that was selected by label, and leaves it to its IPPrefix', async () => {
    world.prefix('net1-p10', '10.0.1.10/24', { network: 'net1', labels: { [NEPHIO.interface]: 'n3' } });
    await world.ready('prefix', 'net1-p10');
    const call = addressOf('g1');
    const selector = { ...call.spec?.selector, [NEPHIO.interface]: 'n3' };
    const selected = { ...call, spec: { ...call.spec, selector } };
    expect(briefly(await client.allocate(selected))).toBe('10.0.1.10/32');
    expect(briefly(await client.allocate(selected))).toBe('10.0.1.10/32');
    expect(briefly(await client.allocate(pool('g1', 16)))).toBe('ALREADY_EXISTS request/changed');
    expect(briefly(await client.allocate({ ...selected, name: 'g2' }))).toBe('ALREADY_EXISTS selector/bound');
    expect(world.record()).toContain('10.0.1.10=net1-p10 for g1');
    await client.deallocate({ namespace: 'default', name: 'g1' });
    expect(world.record()).toContain('10.0.1.10=net1-p10');
    expect(briefly(await client.allocate({ ...selected, name: 'g2' }))).toBe('10.0.1.10/32');
  });

  test('NET-T94 of a pool in which others lie is refused with their names', async () => {
    const labelled = { ...pool('p1', 16), labels: { use: 'a' } };
    expect(briefly(await client.allocate(labelled))).toBe('10.1.0.0/16');
    const inside = pool('p2', 24);
    const selector = { ...inside.spec.selector, use: 'a' };
    expect(briefly(await client.allocate({ ...inside, spec: { ...inside.spec, selector } }))).toBe('10.1.0.0/24');
    const refused = await client.deallocate({ namespace: 'default', name: 'p1' });
    expect(briefly(refused)).toBe('FAILED_PRECONDITION claim/in-use');
    expect(refused).toMatchObject({ message: expect.stringContaining('Allocation default/p2') as string });
    await client.deallocate({ namespace: 'default', name: 'p2' });
    expect(briefly(await client.deallocate({ namespace: 'default', name: 'p1' }))).toBe('');
  });

  test('wakes an IPAllocation that waits for room', async () => {
    world.prefix('small-p', '10.9.0.1/30', { network: 'small' });
    await world.ready('prefix', 'small-p');
    expect(briefly(await client.allocate(addressOf('g1', 'small')))).toBe('10.9.0.2/32');
    world.allocation('a1', { selector: selecting('small') });
    await world.refused('allocation', 'a1', 'PoolExhausted');
    await client.deallocate({ namespace: 'default', name: 'g1' });
    await world.ready('allocation', 'a1', '10.9.0.2/32');
  });
});

describe('a call that is refused', () => {
  test.each([
    ['NET-T105 an empty kind', { spec: { ...addressOf('g1').spec, prefixkind: '' } }, 'request/invalid'],
    ['NET-T105 a prefix that is none', { spec: { ...addressOf('g1').spec, prefix: 'abc' } }, 'prefix/malformed'],
    ['NET-T85 a length beyond the family', pool('g1', 288), 'request/length'],
    ['no spec', { spec: undefined }, 'request/invalid'],
    ['no name', { name: '' }, 'request/invalid'],
    ['a namespace that is none', { namespace: '../kube-system' }, 'request/invalid'],
    ['no instance', { spec: { prefixkind: 'network', selector: {} } }, 'instance/missing'],
    ['a label that is none', { labels: { 'not a key!': 'x' } }, 'request/invalid'],
    ['a label "__proto__"', { labels: JSON.parse('{"__proto__":"x y"}') as Record<string, string> }, 'request/invalid'],
    [
      'NET-T107 a reserved key in the selector',
      { spec: { prefixkind: 'network', selector: { ...addressOf('g').spec?.selector, [NEPHIO.allocationName]: 'x' } } },
      'label/reserved',
    ],
  ] as const)('%s is an argument that is not valid', async (_case, change, code) => {
    expect(briefly(await client.allocate({ ...addressOf('g1'), ...change }))).toBe(`INVALID_ARGUMENT ${code}`);
    expect(briefly(await client.allocate(addressOf('alive')))).toBe('10.0.1.2/32');
  });

  test.each([
    [{ spec: { ...addressOf('g1').spec, prefixkind: 'subnet' } }, /^spec\.prefixkind: "subnet" /u],
    [{ labels: { [NEPHIO.prefixLength]: '7' } }, /^labels\[/u],
  ])('names the field as the message has it (%#)', async (change, message) => {
    const answer = await client.allocate({ ...addressOf('g1'), ...change });
    expect(briefly(answer)).toMatch(/^INVALID_ARGUMENT /u);
    expect(String((answer as { readonly message?: unknown }).message)).toMatch(message);
  });

  test('NET-T106 for an unknown instance or network is one that finds nothing', async () => {
    const call = addressOf('g1');
    const selector = { ...call.spec?.selector, [NEPHIO.networkInstance]: 'vpc-9' };
    expect(briefly(await client.allocate({ ...call, spec: { ...call.spec, selector } }))).toBe(
      'NOT_FOUND instance/not-found',
    );
    expect(briefly(await client.allocate(addressOf('g1', 'net9')))).toBe('NOT_FOUND selector/no-candidate');
  });

  test('says so while this process has not compared what is stored', async () => {
    world.latest?.controller.settled(false);
    expect(briefly(await client.allocate(addressOf('g1')))).toBe('UNAVAILABLE store/not-ready');
    world.latest?.controller.settled(true);
    expect(briefly(await client.allocate(addressOf('g1')))).toBe('10.0.1.2/32');
  });

  test('is counted by its status', async () => {
    await client.allocate(addressOf('g1', 'net9'));
    expect(world.meter.of('grpc_calls_total')).toContainEqual({
      name: 'grpc_calls_total',
      value: 1,
      labels: { method: 'Allocation.Allocation', code: 'NOT_FOUND' },
    });
  });
});

describe('the end of', () => {
  test('an instance waits for the release of what clients have, and names them; nothing new is given', async () => {
    await client.allocate(addressOf('g1'));
    await world.remove('prefix', 'net1-p1');
    await world.remove('prefix', 'agg0');
    await world.remove('instance', 'vpc-1');
    await world.until('the instance names its users', () =>
      String(world.condition('instance', 'vpc-1', 'InUse')?.['message']).includes('Allocation default/g1'),
    );
    expect(briefly(await client.allocate(addressOf('g2')))).toBe('FAILED_PRECONDITION instance/terminating');
    await client.deallocate({ namespace: 'default', name: 'g1' });
    await world.gone('instance', 'vpc-1');
    expect(world.record()).toEqual([]);
  });

  test.each([
    ['holds: a free address', undefined, '10.0.1.3/32'],
    ['uses: the host of an IPPrefix', 'n3', '10.0.1.10/32'],
  ] as const)('a namespace ends what a client %s', async (_what, label, given) => {
    world.prefix('net1-p10', '10.0.1.10/24', { network: 'net1', labels: { [NEPHIO.interface]: 'n3' } });
    world.prefix('net1-p2', '10.0.1.2/24', { network: 'net1' });
    await world.ready('prefix', 'net1-p10');
    await world.ready('prefix', 'net1-p2');
    const call = addressOf('g1');
    const selector = { ...call.spec?.selector, ...(label === undefined ? {} : { [NEPHIO.interface]: label }) };
    expect(briefly(await client.allocate({ ...call, spec: { ...call.spec, selector } }))).toBe(given);
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    world.server.put('/api/v1/namespaces/default', {
      metadata: { name: 'default', uid: 'uid-default', deletionTimestamp },
    });
    await world.until('nothing new is given', async () => {
      return briefly(await client.allocate(addressOf('g2'))) === 'FAILED_PRECONDITION instance/terminating';
    });
    for (const name of ['net1-p1', 'net1-p2', 'net1-p10', 'agg0']) await world.remove('prefix', name);
    await world.remove('instance', 'vpc-1');
    await world.gone('instance', 'vpc-1');
    expect(world.record()).toEqual([]);
  });
});
