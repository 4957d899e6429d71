import { addressOf } from '../../../../operator/addressing/address';
import { addressOfIpName, ipName, ipProblems, readIp } from '../../../../operator/contract/kinds/ip';
import { groupLabel, ipGroupProblems, readIpGroup } from '../../../../operator/contract/kinds/ip-group';
import { GROUP_SAMPLES, groupObject, IP_SAMPLES, ipObject } from '../../../support/vip-kind-samples';

const asked = [
  ...GROUP_SAMPLES.map(({ title, object, refusedAt, says }) => ({
    title: `an IPGroup: ${title}`,
    problems: () => ipGroupProblems(object),
    refusedAt,
    says,
  })),
  ...IP_SAMPLES.map(({ title, object, before, refusedAt, says }) => ({
    title: `an IP: ${title}`,
    problems: () => ipProblems(object, before),
    refusedAt,
    says,
  })),
];

describe('the kinds of the VIPs door', () => {
  test.each(asked.filter(({ refusedAt }) => refusedAt === undefined))('accept $title', ({ problems }) => {
    expect(problems()).toEqual([]);
  });

  test.each(asked.filter(({ refusedAt }) => refusedAt !== undefined))(
    'refuse $title at $refusedAt',
    ({ problems, refusedAt, says }) => {
      const found = problems();
      expect(found.map(({ field }) => field)).toContain(refusedAt);
      expect(found.find(({ field }) => field === refusedAt)?.message).toContain(says ?? '');
    },
  );

  test('a refusal names the field, the value and what is allowed', () => {
    expect(ipGroupProblems(groupObject('g', { segment: 'foo' })).map(({ message }) => message)).toEqual([
      'spec.segment is "foo" but must be a prefix in CIDR notation, such as 1.1.1.0/24 or fd00::/64',
    ]);
  });

  test('POOL-11 a mistyped field is refused with the right one', () => {
    const [problem] = ipGroupProblems(groupObject('g', { segment: '1.1.1.0/29', excludedIP: ['1.1.1.1'] }));
    expect(problem?.message).toMatch(/excludedIP.*excludedIPs/u);
  });

  test('a range that ends before it starts is refused with the right one', () => {
    const [problem] = ipGroupProblems(groupObject('g', { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.3-1.1.1.1'] }));
    expect(problem).toMatchObject({ field: 'spec.excludedIPs[0]', value: '1.1.1.3-1.1.1.1' });
    expect(problem?.message).toContain('write "1.1.1.1-1.1.1.3"');
  });
});

describe('readIpGroup', () => {
  test.each([undefined, null, 5, [], {}, { metadata: {} }, { metadata: 'x' }])('has no name for %j', (value) => {
    expect(readIpGroup(value)).toBeUndefined();
  });

  test.each([
    ['VIP-T22 a stored segment that is no prefix', { segment: 'foo' }, 'spec.segment'],
    ['a segment that is no text', { segment: 5 }, 'spec.segment'],
    ['a spec that is no map', 'foo', 'spec'],
    ['no spec', undefined, 'spec'],
    ['a reversed range', { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.3-1.1.1.1'] }, 'spec.excludedIPs[0]'],
  ])('tells %s', (_title, spec, field) => {
    const reading = readIpGroup(groupObject('g', spec as never));
    expect(reading?.problems.map((problem) => problem.field)).toEqual([field]);
  });

  test('passes over metadata and status', () => {
    const object = { ...groupObject('g', { segment: '1.1.1.0/29' }), status: { foo: 1 } };
    expect(readIpGroup({ ...object, metadata: { name: 'g', managedFields: [] } })?.problems).toEqual([]);
  });
});

describe('groupLabel', () => {
  test('keeps a name that fits', () => {
    expect(groupLabel('ipgroup-1')).toBe('ipgroup-1');
    expect(groupLabel('g'.repeat(63))).toBe('g'.repeat(63));
  });

  test('VIP-T23 shortens a name of 70 characters and keeps two of them apart', () => {
    const [one, two] = [groupLabel('g'.repeat(70)), groupLabel(`${'g'.repeat(69)}h`)];
    expect(one).toMatch(/^g{54}-[0-9a-f]{8}$/u);
    expect(two).not.toBe(one);
  });
});

describe('the name of an IP', () => {
  test.each([
    ['1.1.1.4', '1.1.1.4'],
    ['fd00::1', 'fd00-0000-0000-0000-0000-0000-0000-0001'],
  ])('of %s is %s', (address, name) => {
    expect(ipName(addressOf(address))).toBe(name);
    expect(addressOfIpName(name)?.toString()).toBe(address);
  });

  test.each(['', 'foo', '1.1.1', '01.1.1.1', 'fd00::1', 'fd00--1', 'FD00-0000-0000-0000-0000-0000-0000-0001'])(
    'is never %j',
    (name) => {
      expect(addressOfIpName(name)).toBeUndefined();
    },
  );
});

describe('readIp', () => {
  const old = (labels: object, owner = 'test/a') =>
    ipObject('1.1.1.4', undefined, { labels, annotations: { 'virtualips.paas.il/owner': owner } });

  test('reads an object of version 1.0', () => {
    expect(readIp(old({ ipgroup: 'ipgroup-1' }))).toEqual({
      address: addressOf('1.1.1.4'),
      group: 'ipgroup-1',
      state: 'bound',
      holders: [{ kind: 'Service', namespace: 'test', name: 'a' }],
    });
  });

  test('reads an object of version 0.3 that a VirtualIP owns', () => {
    expect(readIp(old({ gsm: 'keepalived-1' }))).toMatchObject({
      group: '',
      holders: [{ kind: 'VirtualIP', namespace: 'test', name: 'a' }],
    });
    expect(readIp(old({ gsm: 'k', ipgroup: 'g' }))).toMatchObject({ group: 'g', holders: [{ kind: 'Service' }] });
  });

  test('believes the spec rather than the annotation', () => {
    const holders = [
      { id: 'x', since: '2026-11-28T01:05:54Z', apiVersion: 'v1', kind: 'Service', name: 'b', uid: 'u' },
    ];
    const spec = { address: '1.1.1.4', ipGroup: 'g'.repeat(70), state: 'bound', holders };
    expect(readIp({ ...old({ ipgroup: 'other' }), spec })).toMatchObject({ group: 'g'.repeat(70), holders });
  });

  test.each([undefined, null, 5, {}, { metadata: { name: 'foo' } }])('holds nothing for %j', (value) => {
    expect(readIp(value)).toBeUndefined();
  });

  test.each([
    ['', 'a', 'test/', '/a', 'test/a/b'].map((owner) => old({}, owner)),
    [{ metadata: { name: '1.1.1.4' }, spec: { holders: [5, {}, { kind: 'Service' }], owner: 'x', state: 7 } }],
    [{ metadata: { name: '1.1.1.4', labels: 5, annotations: null }, spec: null }],
  ])('takes the address also where no holder can be read', (...objects: unknown[]) => {
    for (const object of objects) expect(readIp(object)).toMatchObject({ state: 'bound', holders: [] });
  });
});
