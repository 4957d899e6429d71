import { addressOf } from '../../../../operator/addressing/address';
import { countGroup } from '../../../support/count-group';
import { groupObject, OLD_POOLS } from '../../../support/vip-kind-samples';
import { VipsModel } from '../../../support/vips-model';

const [P1, P2, P3] = OLD_POOLS;
const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `s${String(index + 1)}`);
const wanting = (loadBalancerIP: string, more: object = {}) => ({ spec: { loadBalancerIP, ...more } });

/** Has Services without a wish decided one after the other. */
function served(model: VipsModel, services: readonly string[]): readonly string[] {
  for (const name of services) model.put({ name });
  return services.map((name) => model.ingress(name).join());
}

function countsOf(model: VipsModel, name: string) {
  const held = model.usesOf(name).map(({ address }) => address);
  return countGroup(model.group(name), { held, quarantined: [], foreign: [...model.occupied.keys()].map(addressOf) });
}

describe('a Service without a wish', () => {
  test('VIP-T01 gets the lowest address', () => {
    const model = new VipsModel([P1]);
    expect(served(model, ['a'])).toEqual(['1.1.1.1']);
    expect(model.holders()).toEqual({ '1.1.1.1': 'test/a' });
    expect(model.record.get('1.1.1.1')?.group).toBe('ipgroup-1');
    expect(model.condition('a')).toEqual({
      status: 'True',
      reason: 'Allocated',
      message: '1.1.1.1 from IPGroup ipgroup-1',
    });
  });

  test('VIP-T02 passes over what is excluded', () => {
    expect(served(new VipsModel([P1]), ['a', 'b', 'c'])).toEqual(['1.1.1.1', '1.1.1.3', '1.1.1.4']);
  });

  test('VIP-T03 VIP-T04 VIP-T05 waits when all are given out, and gets what is released', () => {
    const model = new VipsModel([P1]);
    const five = ['1.1.1.1', '1.1.1.3', '1.1.1.4', '1.1.1.5', '1.1.1.6'];
    expect(served(model, [...names(5), 'f'])).toEqual([...five, '']);
    expect(model.condition('f')).toMatchObject({ status: 'False', reason: 'NoFreeAddress' });
    expect(countsOf(model, 'ipgroup-1')).toMatchObject({ total: '5', allocated: '5', free: '0', excluded: '3' });
    model.delete('s3');
    model.reconcile('test/f');
    expect(model.ingress('f')).toEqual(['1.1.1.4']);
  });

  test('VIP-T06 goes through the groups by name', () => {
    const twelve = served(new VipsModel([P3, P1, P2]), names(12));
    expect(twelve.map((text) => text.slice(4))).toEqual([
      '1.1',
      '1.3',
      '1.4',
      '1.5',
      '1.6',
      '2.2',
      '2.3',
      '2.4',
      '2.6',
      '3.3',
      '3.4',
      '',
    ]);
  });

  test('prefers the group of the higher priority', () => {
    const model = new VipsModel([P1, groupObject('z', { segment: '9.9.9.0/31', priority: 1 })]);
    expect(served(model, names(3))).toEqual(['9.9.9.0', '9.9.9.1', '1.1.1.1']);
  });

  test.each([
    ['VIP-T14 host bits', { segment: '1.1.1.5/29', excludedIPs: [] }, ['1.1.1.0']],
    [
      'VIP-T15 the example of the README',
      { segment: '1.1.1.0/24', excludedIPs: ['1.1.1.0', '1.1.1.255'] },
      ['1.1.1.1'],
    ],
    ['VIP-T16 a range', { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.0-1.1.1.3'] }, ['1.1.1.4']],
    ['a prefix', { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.0/30'] }, ['1.1.1.4']],
    ['VIP-T17 one address', { segment: '10.0.0.0/32' }, ['10.0.0.0', '']],
    [
      'VIP-T18 the end of IPv4',
      { segment: '255.255.255.248/29' },
      [...Array.from({ length: 8 }, (_, index) => `255.255.255.${String(248 + index)}`), ''],
    ],
    ['several segments', { segments: ['10.0.0.4/31', '10.0.0.0/31'] }, ['10.0.0.0', '10.0.0.1', '10.0.0.4']],
    [
      'several segments in their order',
      { segments: ['10.0.0.4/31', '10.0.0.0/31'], searchOrder: 'segments' },
      ['10.0.0.4', '10.0.0.5', '10.0.0.0'],
    ],
  ])('gets the right address with %s', (_title, spec, expected) => {
    expect(served(new VipsModel([groupObject('g', spec)]), names(expected.length))).toEqual(expected);
  });

  test('VIP-T15 counts 254 addresses', () => {
    const model = new VipsModel([groupObject('g', { segment: '1.1.1.0/24', excludedIPs: ['1.1.1.0', '1.1.1.255'] })]);
    expect(countsOf(model, 'g')).toMatchObject({ total: '254', free: '254', excluded: '2' });
  });

  test('VIP-T20 gets an IPv6 address', () => {
    const model = new VipsModel([P1, groupObject('six', { segment: 'fd00::/64', excludedIPs: ['fd00::'] })]);
    model.put({ name: 'a', spec: { ipFamilies: ['IPv6'] } });
    expect(model.ingress('a')).toEqual(['fd00::1']);
    expect(countsOf(model, 'six').free).toBe('18446744073709551614');
  });

  test('VIP-T21 waits for a group', () => {
    const model = new VipsModel().put({ name: 'a' });
    expect(model.condition('a')).toMatchObject({ status: 'False', reason: 'NoMatchingGroup' });
    model.groups = [P1];
    model.settle();
    expect(model.ingress('a')).toEqual(['1.1.1.1']);
  });

  test('R15 VIP-T22 is not disturbed by a stored group that is broken', () => {
    const model = new VipsModel([groupObject('bad', { segment: 'foo' }), groupObject('none'), P1]);
    expect(served(model, ['a'])).toEqual(['1.1.1.1']);
    expect(model.group('bad').readiness).toMatchObject({ ok: false, reason: 'InvalidGroup' });
    expect(model.group('none').readiness).toMatchObject({ ok: false, reason: 'InvalidGroup' });
  });

  test('VIP-T23 is served by a group with a name of 70 characters', () => {
    const long = groupObject('g'.repeat(70), { segment: '1.1.9.0/32' });
    expect(served(new VipsModel([long, P1]), names(2))).toEqual(['1.1.9.0', '1.1.1.1']);
  });

  test('R17 VIP-T24 never gets an address of a group that overlaps an older one', () => {
    const model = new VipsModel([P1, groupObject('o', { segment: '1.1.1.0/30' })]);
    expect(served(model, names(6))).toEqual(['1.1.1.1', '1.1.1.3', '1.1.1.4', '1.1.1.5', '1.1.1.6', '']);
    expect(model.group('o').readiness).toMatchObject({ ok: false, reason: 'Conflict' });
  });

  test('VIP-T44 two hundred Services get two hundred addresses', () => {
    const model = new VipsModel([groupObject('g', { segment: '10.0.0.0/24', excludedIPs: ['10.0.0.200-10.0.0.255'] })]);
    const all = served(model, names(200));
    expect(all).toEqual(Array.from({ length: 200 }, (_, index) => `10.0.0.${String(index)}`));
  });

  test('POOL-10 never gets an address that the cluster uses', () => {
    const model = new VipsModel([P1]);
    model.occupied.set('1.1.1.1', 'Node/worker-1');
    expect(served(model, ['a'])).toEqual(['1.1.1.3']);
    expect(countsOf(model, 'ipgroup-1')).toMatchObject({ total: '5', allocated: '1', foreign: '1', free: '3' });
    model.put({ name: 'b', ...wanting('1.1.1.1') });
    expect(model.condition('b')).toMatchObject({ reason: 'RequestedAddressInUse' });
    expect(model.condition('b')?.message).toContain('Node/worker-1');
  });
});

describe('a wished address', () => {
  test.each([
    ['VIP-T07 free', '1.1.2.4', '1.1.2.4'],
    ['VIP-T13 written as IPv6', '::ffff:1.1.2.4', '1.1.2.4'],
  ])('that is %s is given exactly', (_title, wish, expected) => {
    const model = new VipsModel([P1, P2, P3]).put({ name: 'x', ...wanting(wish) });
    expect(model.ingress('x')).toEqual([expected]);
    expect(model.holders()).toEqual({ [expected]: 'test/x' });
  });

  test.each([
    ['VIP-T08 excluded', '1.1.2.1', 'RequestedAddressExcluded'],
    ['VIP-T09 in no group', '1.1.2.40', 'RequestedAddressNotInAnyGroup'],
    ['VIP-T10 no address', '1.1.2', 'RequestedAddressInvalid'],
    ['a loopback address', '127.0.0.1', 'RequestedAddressInvalid'],
  ])('that is %s is never replaced', (_title, wish, reason) => {
    const model = new VipsModel([P1, P2, P3]).put({ name: 'x', ...wanting(wish) });
    expect(model.ingress('x')).toEqual([]);
    expect(model.condition('x')).toMatchObject({ status: 'False', reason });
    expect(model.holders()).toEqual({});
  });

  test('VIP-T11 VIP-T12 has one holder, whom the other is told, and goes to the other afterwards', () => {
    const model = new VipsModel([P2]);
    for (const name of ['x', 'y']) model.put({ name, ...wanting('1.1.2.6') });
    expect(model.ingress('y')).toEqual([]);
    expect(model.condition('y')).toMatchObject({ reason: 'RequestedAddressInUse' });
    expect(model.condition('y')?.message).toContain('test/x');
    model.delete('x');
    model.settle();
    expect(model.ingress('y')).toEqual(['1.1.2.6']);
  });

  test('VIP-T48 of a group made anew under another name waits without further writes', () => {
    const dying = { ...P2, metadata: { name: 'ipgroup-2', deletionTimestamp: '2026-11-28T01:05:54Z' } };
    const model = new VipsModel([P2]).put({ name: 'x', ...wanting('1.1.2.4') });
    const [stored] = model.groups as object[];
    model.groups = [
      { ...stored, metadata: dying.metadata },
      { ...P2, metadata: { name: 'ipgroup-2b' } },
    ];
    model.put({ name: 'y', ...wanting('1.1.2.4') });
    expect(model.condition('y')).toMatchObject({ reason: 'RequestedAddressInUse' });
    model.settle();
    expect(model.stored('y').writes).toBe(1);
  });

  test('may be named by an annotation, as a list', () => {
    const model = new VipsModel([P1]);
    model.put({ name: 'x', annotations: { 'paas.org/addresses': ' 1.1.1.5, ' }, ...wanting('1.1.1.5') });
    expect(model.ingress('x')).toEqual(['1.1.1.5']);
  });

  test('REQ-01 wishes that disagree are refused, naming all of them', () => {
    const model = new VipsModel([P1]);
    model.put({ name: 'x', annotations: { 'paas.org/addresses': '1.1.1.6' }, ...wanting('1.1.1.5') });
    expect(model.condition('x')).toMatchObject({ reason: 'RequestedAddressInvalid' });
    expect(model.condition('x')?.message).toContain('spec.loadBalancerIP is "1.1.1.5"');
    expect(model.condition('x')?.message).toContain('metadata.annotations[paas.org/addresses] is "1.1.1.6"');
  });

  test.each(['1.1.1.5,1.1.1.6', '1.1.1.5 1.1.1.6', '["1.1.1.5"]'])('REQ-07 refuses the list %s', (text) => {
    const model = new VipsModel([P1]).put({ name: 'x', annotations: { 'paas.org/addresses': text } });
    expect(model.condition('x')).toMatchObject({ status: 'False', reason: 'RequestedAddressInvalid' });
  });

  test('of a draining group waits, naming the drain', () => {
    const model = new VipsModel([groupObject('g', { segment: '1.1.1.0/29', draining: true })]);
    model.put({ name: 'x', ...wanting('1.1.1.5') }).put({ name: 'y' });
    expect(model.condition('x')).toMatchObject({ reason: 'NoMatchingGroup' });
    expect(model.condition('x')?.message).toContain('draining');
    expect(model.ingress('y')).toEqual([]);
  });

  test('in quarantine goes to its former holder alone', () => {
    const model = new VipsModel([P1]);
    model.quarantined.set('1.1.1.1', { namespace: 'test', name: 'a', uid: 'gone' });
    expect(served(model, ['b'])).toEqual(['1.1.1.3']);
    model.put({ name: 'c', ...wanting('1.1.1.1') }).put({ name: 'a', ...wanting('1.1.1.1') });
    expect(model.condition('c')).toMatchObject({ reason: 'RequestedAddressInUse' });
    expect(model.ingress('a')).toEqual(['1.1.1.1']);
  });
});

describe('a group', () => {
  const one = (spec: object) => groupObject('only', { segment: '1.1.1.0/29', ...spec });

  test.each([
    ['its class', { loadBalancerClass: 'paas.org/other' }],
    ['REQ-05 its namespaces', { namespaces: { matchLabels: { team: 'net' } } }],
    ['its Services', { services: { matchLabels: { tier: 'web' } } }],
  ])('that names %s serves no others, wished or not', (_title, spec) => {
    const model = new VipsModel([one(spec)]).put({ name: 'a' }).put({ name: 'b', ...wanting('1.1.1.5') });
    expect([model.condition('a')?.reason, model.condition('b')?.reason]).toEqual([
      'NoMatchingGroup',
      'NoMatchingGroup',
    ]);
  });

  test('serves namespaces and Services by their labels', () => {
    const model = new VipsModel([
      one({ namespaces: { matchLabels: { team: 'net' } }, services: { matchLabels: { tier: 'web' } } }),
    ]);
    model.namespaces.set('test', { team: 'net' });
    model.put({ name: 'a', labels: { tier: 'web' } });
    expect(model.ingress('a')).toEqual(['1.1.1.0']);
  });

  test('that is explicit only serves who names it, or an address of it', () => {
    const model = new VipsModel([one({ explicitOnly: true })]).put({ name: 'a' });
    model.put({ name: 'b', annotations: { 'paas.org/ipgroup': 'only' } }).put({ name: 'c', ...wanting('1.1.1.5') });
    expect([model.ingress('a'), model.ingress('b'), model.ingress('c')]).toEqual([[], ['1.1.1.0'], ['1.1.1.5']]);
  });

  test('is named by a Service that then waits for it alone', () => {
    const model = new VipsModel([P1, groupObject('full', { segment: '9.9.9.9/32' })]).put({ name: 'a' });
    const annotations = { 'paas.org/ipgroup': 'full' };
    model.put({ name: 'b', annotations }).put({ name: 'c', annotations });
    model.put({ name: 'd', annotations: { 'paas.org/ipgroup': 'fool' } });
    model.put({ name: 'e', annotations, ...wanting('1.1.1.4') });
    expect(['c', 'd', 'e'].map((name) => model.condition(name)?.reason)).toEqual([
      ...['NoFreeAddress', 'NoMatchingGroup', 'RequestedAddressNotInAnyGroup'],
    ]);
  });

  test('gives nothing of the space of a stronger door', () => {
    const model = new VipsModel([P1]);
    model.stronger = new VipsModel([groupObject('zone', { segment: '1.1.1.0/30' })]).group('zone').segments;
    expect(served(model, ['a'])).toEqual(['1.1.1.4']);
    expect(model.plan().map(({ overlapsOtherDoor }) => overlapsOtherDoor)).toEqual([true]);
  });
});
