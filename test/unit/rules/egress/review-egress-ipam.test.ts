import { addressOf } from '../../../../operator/addressing/address';
import { prefixOf } from '../../../../operator/addressing/prefix';
import { EGRESS_FORCE, EGRESS_LOAD_BALANCER } from '../../../../operator/contract/egress';
import { reviewEgressIpam } from '../../../../operator/rules/egress';
import { egressIpamObject, egressSpec } from '../../../support/egress-kind-samples';
import { entry } from '../../../support/egress-model';

const [X, Y] = [entry('10.0.1.0/24'), entry('10.0.2.0/24')];
const ipam = (...entries: readonly object[]) => egressIpamObject('bm', egressSpec(...entries));
const held = (...texts: readonly string[]) =>
  texts.map((text, index) => ({ address: addressOf(text), holder: `Namespace n${String(index)}` }));
const around = { all: [] as readonly object[], networks: [], held: held() };

/** Reviews, and what they say: codes and sentences of the problems, then the warnings. */
const say = (facts: Parameters<typeof reviewEgressIpam>[0]) => {
  const { problems, warnings } = reviewEgressIpam(facts);
  return [problems.map(({ code, message }) => `${code} ${message}`).join('; '), warnings.join('; ')];
};
const made = (object: object, more: Partial<typeof around> = {}) =>
  say({ after: object, before: undefined, ...around, ...more });

describe('an EgressIPAM that is made', () => {
  test('is allowed where nothing stands against it', () => {
    expect(made(ipam(X, Y))).toEqual(['', '']);
  });

  test.each([
    ['EG-case-7 bits after the length', entry('10.0.0.5/24'), 'such as 10.0.0.0/24'],
    [
      'EG-case-8 an address outside of the CIDR',
      entry('192.169.0.0/24', { reservedIPs: ['192.159.0.5'] }),
      'reservedIPs',
    ],
    ['a CIDR of which all is reserved', entry('10.0.0.0/30', { reservedIPs: ['10.0.0.1', '10.0.0.2'] }), 'reserved'],
  ])('is refused for %s', (_title, pool, says) => {
    const [problems] = made(ipam(pool));
    expect(problems).toMatch(/^egress\/invalid /u);
    expect(problems).toContain(says);
  });

  test('EG-case-9 is refused for CIDRs of its own that overlap', () => {
    expect(made(ipam(entry('10.0.0.0/24'), entry('10.0.0.0/25')))[0]).toContain('must have CIDRs that do not overlap');
  });

  test('EG-27 is refused for CIDRs of another one, younger ones too, unless one of the two allows it', () => {
    const other = egressIpamObject('other', egressSpec(entry('10.0.1.128/25')));
    const spec = egressSpec(X);
    expect(made(ipam(X), { all: [other, ipam(X)] })[0]).toBe(
      'egress/overlap spec.cidrAssignments: 10.0.1.128-10.0.1.255 belongs to EgressIPAM other already; spec.allowOverlap: true of one of them allows it',
    );
    expect(made(egressIpamObject('bm', { ...spec, allowOverlap: true }), { all: [other] })[0]).toBe('');
    expect(made(egressIpamObject('bm', { ...spec, network: 'edge' }), { all: [other] })[0]).toBe('');
  });

  test('is refused for a network of Pods or Services of the cluster', () => {
    const networks = [{ prefix: prefixOf('10.0.0.0/16'), source: 'ServiceCIDR/kubernetes' }];
    expect(made(ipam(entry('192.168.0.0/24'), X), { networks } as object)[0]).toBe(
      'egress/overlap spec.cidrAssignments[1].CIDR: 10.0.1.0/24 overlaps 10.0.0.0/16, which the cluster uses for Pods or Services (ServiceCIDR/kubernetes)',
    );
  });

  test('EG-44 is refused for another load balancer than the two that there are', () => {
    const annotated = (value: string) =>
      egressIpamObject('bm', egressSpec(X), { annotations: { [EGRESS_LOAD_BALANCER.key]: value } });
    expect([made(annotated('none'))[0], made(annotated('same-as-primary-ip'))[0]]).toEqual(['', '']);
    expect(made(annotated('foo'))[0]).toContain('"foo" is not allowed; give none or same-as-primary-ip');
  });
});

describe('an EgressIPAM that changes', () => {
  const changed = (after: object, texts: readonly string[], before: object = ipam(X, Y)) =>
    say({ after, before, ...around, held: held(...texts) });
  const forced = { annotations: { [EGRESS_FORCE]: 'true' } };

  test('EG-case-15 keeps the CIDRs that namespaces hold addresses of, unless it is forced', () => {
    const [problems] = changed(ipam(X), ['10.0.1.1', '10.0.2.1']);
    expect(problems).toBe(
      'egress/in-use spec.cidrAssignments: the change takes away 1 address that Namespaces hold: 10.0.2.1 of Namespace n1; to release them all the same: kubectl annotate egressipams.redhatcop.redhat.io bm egressip-ipam-operator.redhat-cop.io/force=true',
    );
    expect(changed(egressIpamObject('bm', egressSpec(X), forced), ['10.0.2.1'])[0]).toBe('');
    expect(changed(ipam(X), ['10.0.1.1'])[0]).toBe('');
  });

  test.each([
    ['a smaller CIDR', [entry('10.0.1.0/25'), Y], '10.0.1.200'],
    ['a reserved address', [entry('10.0.1.0/24', { reservedIPs: ['10.0.1.7'] }), Y], '10.0.1.7'],
    ['a reserved range', [entry('10.0.1.0/24', { reservedRanges: ['10.0.1.4-10.0.1.9'] }), Y], '10.0.1.7'],
  ])('is refused for %s that takes an address away', (_title, entries, address) => {
    expect(changed(ipam(...entries), [address])[0]).toContain(`${address} of Namespace n0`);
    expect(changed(ipam(...entries), ['10.0.1.1'])[0]).toBe('');
  });

  test('is refused for another network while it gives addresses', () => {
    const moved = egressIpamObject('bm', { ...egressSpec(X, Y), network: 'edge' });
    expect([changed(moved, ['10.0.1.1'])[0], changed(moved, [])[0]]).toEqual([
      expect.stringContaining('egress/in-use spec.network'),
      '',
    ]);
  });

  test('keeps an address that its namespace may have although it is reserved', () => {
    const reserved = entry('10.0.1.0/24', { reservedIPs: ['10.0.1.7'] });
    expect(changed(ipam(reserved), ['10.0.1.7'], ipam(reserved, Y))[0]).toBe('');
  });

  test('EG-5 is not refused for what was wrong before', () => {
    const other = egressIpamObject('other', egressSpec(X));
    const facts = { ...around, all: [other], before: ipam(X, Y) };
    expect(say({ ...facts, after: egressIpamObject('bm', { ...egressSpec(X, Y), rebalance: 'OnNodeJoin' }) })[0]).toBe(
      '',
    );
    expect(say({ ...facts, before: ipam(Y), after: ipam(X, Y) })[0]).toContain('EgressIPAM other');
  });

  test('warns of another dataplane while namespaces hold addresses', () => {
    const after = egressIpamObject('bm', { ...egressSpec(X, Y), dataplane: 'none' });
    expect(changed(after, ['10.0.1.1'])).toEqual([
      '',
      expect.stringContaining('1 address in use move from auto to none'),
    ]);
    expect(changed(after, [])).toEqual(['', '']);
  });
});

describe('an EgressIPAM that is deleted', () => {
  test('is never refused, and tells how many addresses go', () => {
    const gone = (spec: object) =>
      say({ after: undefined, before: egressIpamObject('bm', spec), ...around, held: held('10.0.1.1', '10.0.1.2') });
    expect(gone(egressSpec(X))).toEqual(['', expect.stringContaining('Namespaces lose 2 addresses')]);
    expect(gone({ ...egressSpec(X), deletionPolicy: 'Retain' })).toEqual(['', '']);
    expect(gone({ cidrAssignments: 1 })).toEqual(['', expect.stringContaining('2 addresses')]);
  });
});
