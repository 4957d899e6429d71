import { addressOf, type Family } from '../../../operator/addressing/address';
import { planFamilies } from '../../../operator/rules/families';
import { familyWord, type FamilyFacts, type FamilySpec } from '../../../operator/rules/family-facts';

const spec = (ipFamilies: readonly Family[] = [], policy?: FamilySpec['ipFamilyPolicy']): FamilySpec => ({
  ipFamilies,
  clusterIpFamilies: [],
  ...(policy === undefined ? {} : { ipFamilyPolicy: policy }),
});
const plan = (facts: Partial<FamilyFacts>): unknown => {
  const outcome = planFamilies({ spec: spec(), addresses: [], clusterFamilies: [4, 6], ...facts });
  return outcome.ok ? outcome.value : outcome.refusal.message;
};

describe('planFamilies of a new Service', () => {
  test.each<{ what: string; facts: Partial<FamilyFacts>; expected: unknown }>([
    { what: 'nothing said: primary family', facts: {}, expected: { families: [4] } },
    { what: 'DUAL-03 nothing said, IPv6-only cluster', facts: { clusterFamilies: [6] }, expected: { families: [6] } },
    { what: 'nothing said, IPv6-first cluster', facts: { clusterFamilies: [6, 4] }, expected: { families: [6] } },
    { what: 'SingleStack [IPv6]', facts: { spec: spec([6], 'SingleStack') }, expected: { families: [6] } },
    { what: 'ipv6 and [IPv6]', facts: { spec: spec([6]), wish: 'ipv6' }, expected: { families: [6] } },
    {
      what: 'a chosen IPv6 cluster IP',
      facts: { spec: { ipFamilies: [], clusterIpFamilies: [6] } },
      expected: { families: [6] },
    },
    { what: 'dual', facts: { wish: 'dual' }, expected: { families: [6, 4], setPolicy: 'RequireDualStack' } },
    {
      what: 'dual and [IPv4]',
      facts: { spec: spec([4]), wish: 'dual' },
      expected: { families: [4, 6], setPolicy: 'RequireDualStack' },
    },
    {
      what: 'dual and PreferDualStack',
      facts: { spec: spec([], 'PreferDualStack'), wish: 'dual' },
      expected: { families: [6, 4] },
    },
    {
      what: 'PreferDualStack [IPv6, IPv4]',
      facts: { spec: spec([6, 4], 'PreferDualStack') },
      expected: { families: [6, 4] },
    },
    { what: 'two families without policy', facts: { spec: spec([4, 6]) }, expected: { families: [4, 6] } },
    {
      what: 'DUAL-01 PreferDualStack on a single-stack cluster',
      facts: { spec: spec([], 'PreferDualStack'), clusterFamilies: [4] },
      expected: { families: [4], unfulfilled: 6 },
    },
  ])('$what', ({ facts, expected }) => {
    expect(plan(facts)).toEqual(expected);
  });

  test.each<{ what: string; facts: Partial<FamilyFacts>; text: string }>([
    {
      what: 'dual, single-stack cluster',
      facts: { wish: 'dual', clusterFamilies: [4] },
      text: 'this cluster has IPv4 Services only',
    },
    {
      what: 'dual and Prefer, single-stack cluster',
      facts: { wish: 'dual', spec: spec([], 'PreferDualStack'), clusterFamilies: [4] },
      text: 'ip-family] asks for two families',
    },
    {
      what: 'RequireDualStack, single-stack cluster',
      facts: { spec: spec([], 'RequireDualStack'), clusterFamilies: [6] },
      text: 'has IPv6 Services only',
    },
    {
      what: 'a family that the cluster lacks',
      facts: { spec: spec([6]), clusterFamilies: [4] },
      text: 'spec.ipFamilies names IPv6',
    },
    { what: 'ipv6 alone on an IPv4-first cluster', facts: { wish: 'ipv6' }, text: 'set spec.ipFamilies: [IPv6] too' },
    {
      what: 'ipv4 with two families',
      facts: { wish: 'ipv4', spec: spec([4, 6]) },
      text: 'spec.ipFamilies names two families',
    },
    {
      what: 'SingleStack with two families',
      facts: { spec: spec([4, 6], 'SingleStack') },
      text: 'is SingleStack but spec.ipFamilies names two',
    },
    {
      what: 'a wished address of another family',
      facts: { addresses: [addressOf('2001:db8::1')] },
      text: 'asks for 2001:db8::1 (IPv6) but has IPv4 only',
    },
  ])('refuses $what', ({ facts, text }) => {
    expect(plan(facts)).toContain(text);
  });
});

describe('planFamilies of a stored Service', () => {
  const single = spec([4], 'SingleStack');
  const dual = spec([4, 6], 'RequireDualStack');

  test.each<{ what: string; facts: Partial<FamilyFacts>; expected: unknown }>([
    { what: 'a bare PUT keeps what is stored', facts: { stored: dual }, expected: { families: [4, 6] } },
    {
      what: 'stored families decide, not the cluster',
      facts: { stored: spec([4], 'PreferDualStack') },
      expected: { families: [4] },
    },
    {
      what: 'a change to Prefer is the wish dual',
      facts: { stored: single, spec: spec([4], 'PreferDualStack') },
      expected: { families: [4, 6] },
    },
    {
      what: 'a change to SingleStack keeps the primary',
      facts: { stored: dual, spec: spec([4, 6], 'SingleStack') },
      expected: { families: [4] },
    },
    {
      what: 'Prefer on a single-stack cluster',
      facts: { stored: single, spec: spec([4], 'PreferDualStack'), clusterFamilies: [4] },
      expected: { families: [4], unfulfilled: 6 },
    },
    {
      what: 'an ExternalName without families is as new',
      facts: { stored: spec(), spec: spec() },
      expected: { families: [4] },
    },
  ])('$what', ({ facts, expected }) => {
    expect(plan(facts)).toEqual(expected);
  });

  test.each<{ what: string; facts: Partial<FamilyFacts>; text: string }>([
    {
      what: 'dual without a change of the policy',
      facts: { stored: single, wish: 'dual' },
      text: 'needs spec.ipFamilyPolicy PreferDualStack or RequireDualStack in the same change',
    },
    { what: 'dual for an ExternalName', facts: { stored: spec(), wish: 'dual' }, text: 'needs spec.ipFamilyPolicy' },
    {
      what: 'dual on a single-stack cluster',
      facts: { stored: single, wish: 'dual', clusterFamilies: [4] },
      text: 'this cluster has IPv4 Services only',
    },
    {
      what: 'ipv4 with two stored families',
      facts: { stored: dual, wish: 'ipv4' },
      text: 'is stored with two families',
    },
    {
      what: 'FU-11 a written ipv4 beside a change to dual, in this change or before',
      facts: { stored: single, spec: spec([4], 'RequireDualStack'), wish: 'ipv4' },
      text: 'two families',
    },
    {
      what: 'another primary family by annotation',
      facts: { stored: single, wish: 'ipv6' },
      text: 'primary family IPv4, which cannot change',
    },
    {
      what: 'another primary family by spec',
      facts: { stored: single, spec: spec([6]) },
      text: 'cannot change from IPv4 to IPv6',
    },
    {
      what: 'a second family without policy',
      facts: { stored: single, spec: spec([4, 6]) },
      text: 'a second family needs spec.ipFamilyPolicy',
    },
    {
      what: 'RequireDualStack on a single-stack cluster',
      facts: { stored: single, spec: spec([4], 'RequireDualStack'), clusterFamilies: [4] },
      text: 'IPv4 Services only',
    },
    {
      what: 'two wished addresses with one stored family',
      facts: { stored: single, addresses: [addressOf('192.0.2.1'), addressOf('2001:db8::1')] },
      text: 'asks for 2001:db8::1',
    },
  ])('refuses $what', ({ facts, text }) => {
    expect(plan(facts)).toContain(text);
  });
});

describe('familyWord', () => {
  test('names one and two families', () => {
    expect([familyWord([4]), familyWord([6]), familyWord([6, 4])]).toEqual(['ipv4', 'ipv6', 'dual']);
  });
});
