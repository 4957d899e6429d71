import { egressIpamProblems, readEgressIpam } from '../../../../operator/contract/kinds/egress-ipam';
import { spaceOfAssignment } from '../../../../operator/contract/kinds/egress-assignment';
import { EGRESS_SAMPLES, egressIpamObject, egressSpec } from '../../../support/egress-kind-samples';

const problemsOf = (...entries: readonly object[]) =>
  egressIpamProblems(egressIpamObject('bm', egressSpec(...entries)));
const entry = (CIDR: string, more: object = {}) => ({ CIDR, labelValue: 'true', ...more });

describe('egressIpamProblems', () => {
  test.each(EGRESS_SAMPLES.filter(({ refusedAt }) => refusedAt === undefined))('accepts $title', ({ object }) => {
    expect(egressIpamProblems(object)).toEqual([]);
  });

  test.each(EGRESS_SAMPLES.filter(({ refusedAt }) => refusedAt !== undefined))(
    'refuses $title at $refusedAt',
    ({ object, refusedAt, says }) => {
      const found = egressIpamProblems(object);
      expect(found.map(({ field }) => field)).toContain(refusedAt);
      expect(found.find(({ field }) => field === refusedAt)?.message).toContain(says ?? '');
    },
  );

  test('EG-case-8 the refusal names both values', () => {
    const [problem] = problemsOf(entry('192.169.0.0/24', { reservedIPs: ['192.159.0.5'] }));
    expect(problem?.message).toMatch(/192\.169\.0\.0\/24.*192\.159\.0\.5/u);
  });

  test('POOL-11 a mistyped field is refused with the right one', () => {
    const [problem] = problemsOf(entry('10.0.0.0/24', { reservedIps: ['10.0.0.1'] }));
    expect(problem?.message).toMatch(/reservedIps.*reservedIPs/u);
  });

  test.each([
    [
      'a range that ends before it starts',
      entry('10.0.0.0/24', { reservedRanges: ['10.0.0.9-10.0.0.1'] }),
      'reservedRanges[0]',
    ],
    ['an address that is reserved twice', entry('fd00::/64', { reservedIPs: ['fd00::1', 'fd00:0::1'] }), 'reservedIPs'],
    ['a CIDR of which all is reserved', entry('10.0.0.0/30', { reservedRanges: ['10.0.0.1-10.0.0.2'] }), 'CIDR'],
  ])('refuses %s', (_title, of, field) => {
    expect(problemsOf(of).map((problem) => problem.field)).toEqual([`spec.cidrAssignments[0].${field}`]);
  });
});

describe('spaceOfAssignment', () => {
  test.each([
    ['EG-21 network and broadcast address of the CIDR', entry('10.0.0.0/29'), '10.0.0.0, 10.0.0.7'],
    [
      'EG-21 those of the subnet that the CIDR is a part of',
      entry('10.0.0.64/29', { subnet: '10.0.0.64/28' }),
      '10.0.0.64, 10.0.0.79',
    ],
    ['EG-case-6 nothing of a pair', entry('10.0.0.0/31'), ''],
    ['EG-case-6 nothing of a single address', entry('10.0.0.9/32'), ''],
    ['EG-21 the subnet-router address of IPv6', entry('fd00::/64'), 'fd00::'],
    [
      'EG-21 the gateway, single addresses and ranges',
      entry('10.0.0.0/24', { gateway: '10.0.0.1', reservedIPs: ['10.0.0.9'], reservedRanges: ['10.0.0.4-10.0.0.5'] }),
      '10.0.0.0-10.0.0.1, 10.0.0.4-10.0.0.5, 10.0.0.9, 10.0.0.255',
    ],
  ])('reserves %s', (_title, of, reserved) => {
    expect(spaceOfAssignment(of)?.reserved.toString()).toBe(reserved);
  });

  test('passes over an entry whose CIDR cannot be read', () => {
    expect(spaceOfAssignment(entry('10.0.0.5/24'))).toBeUndefined();
  });
});

describe('readEgressIpam', () => {
  test.each([undefined, null, 5, [], {}, { metadata: {} }])('has no name for %j', (value) => {
    expect(readEgressIpam(value)).toBeUndefined();
  });

  test.each([
    ['a stored CIDR with bits after its length', egressSpec(entry('10.0.0.5/24')), 'spec.cidrAssignments[0].CIDR'],
    ['a spec that is no map', 'foo', 'spec'],
    ['no spec', undefined, 'spec'],
    [
      'a CIDR of which all is reserved',
      egressSpec(entry('10.0.0.9/32', { gateway: '10.0.0.9' })),
      'spec.cidrAssignments[0].CIDR',
    ],
  ])('tells %s', (_title, spec, field) => {
    const reading = readEgressIpam(egressIpamObject('bm', spec as never));
    expect(reading?.problems.map((problem) => problem.field)).toEqual([field]);
  });

  test('EG-2 passes over metadata and over the conditions of the older operator', () => {
    const object = egressIpamObject('bm', egressSpec(entry('10.0.0.0/24')), { finalizers: ['EgressIPAM_controller'] });
    const status = { conditions: [{ type: 'ReconcileSuccess', status: 'True', reason: 'LastReconcileCycleSucceded' }] };
    expect(readEgressIpam({ ...object, status })?.problems).toEqual([]);
  });
});
