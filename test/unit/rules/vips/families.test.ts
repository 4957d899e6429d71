import { groupObject } from '../../../support/vip-kind-samples';
import { VipsModel } from '../../../support/vips-model';

const FOUR = groupObject('four', { segment: '10.0.0.1/32' });
const SIX = groupObject('six', { segment: 'fd00::1/128' });
const BOTH = groupObject('both', { segments: ['10.0.0.1/32', 'fd00::1/128'] });

const dual = (ipFamilyPolicy: string, ipFamilies: readonly string[], more: object = {}) => ({
  name: 'a',
  spec: { ipFamilyPolicy, ipFamilies, ...more },
});
const IP46 = ['IPv4', 'IPv6'];

describe('the families of a Service', () => {
  test.each([
    ['SingleStack', ['IPv6'], [BOTH], ['fd00::1'], 'True'],
    ['PreferDualStack', IP46, [FOUR], ['10.0.0.1'], 'True'],
    ['PreferDualStack', ['IPv6', 'IPv4'], [BOTH], ['fd00::1', '10.0.0.1'], 'True'],
    ['PreferDualStack', ['IPv4'], [BOTH], ['10.0.0.1'], 'True'],
    ['RequireDualStack', IP46, [FOUR], [], 'False'],
    ['RequireDualStack', IP46, [FOUR, SIX], ['10.0.0.1', 'fd00::1'], 'True'],
  ])('DUAL-01 DUAL-02 %s %j', (policy, families, ...[groups, expected, status]) => {
    const model = new VipsModel(groups).put(dual(policy, families));
    expect([model.ingress('a'), model.condition('a')?.status]).toEqual([expected, status]);
    const writes = model.stored('a').writes;
    model.settle();
    expect([model.ingress('a'), model.stored('a').writes]).toEqual([expected, writes]);
    expect(Object.keys(model.holders()).sort()).toEqual([...expected].sort());
  });

  test('DUAL-02 PreferDualStack with all IPv4 given out has IPv6, and says so', () => {
    const model = new VipsModel([BOTH]).put({ name: 'first' }).put(dual('PreferDualStack', IP46));
    expect(model.ingress('a')).toEqual(['fd00::1']);
    expect(model.condition('a')).toMatchObject({ status: 'True', reason: 'Allocated' });
    expect(model.condition('a')?.message).toContain('no IPv4 address is free');
    model.delete('first');
    model.settle();
    expect(model.ingress('a')).toEqual(['10.0.0.1', 'fd00::1']);
  });

  test('DUAL-02 RequireDualStack with all IPv4 given out holds nothing', () => {
    const model = new VipsModel([BOTH]).put({ name: 'first' }).put(dual('RequireDualStack', IP46));
    expect([model.ingress('a'), model.holders()]).toEqual([[], { '10.0.0.1': 'test/first' }]);
    expect(model.condition('a')).toMatchObject({ status: 'False', reason: 'NoFreeAddress' });
  });

  test('DUAL-02 an IPv6 group that comes later adds to the IPv4 address', () => {
    const model = new VipsModel([FOUR]).put(dual('PreferDualStack', IP46));
    model.groups = [...model.groups, SIX];
    model.settle();
    expect(model.ingress('a')).toEqual(['10.0.0.1', 'fd00::1']);
  });

  test('REQ a wish for each family is given exactly, and one for a family that it has not is refused', () => {
    const wide = groupObject('g', { segments: ['10.0.0.0/24', 'fd00::/64'] });
    const annotations = { 'paas.org/addresses': 'fd00::9,10.0.0.9' };
    const model = new VipsModel([wide]).put({ ...dual('RequireDualStack', IP46), annotations });
    expect(model.ingress('a')).toEqual(['10.0.0.9', 'fd00::9']);
    model.put({ ...dual('SingleStack', ['IPv4']), annotations });
    expect([model.ingress('a'), model.condition('a')?.reason]).toEqual([['10.0.0.9'], 'RequestedAddressInvalid']);
    expect(Object.keys(model.holders())).toEqual(['10.0.0.9']);
  });

  test('R9 VIP-T34 the IP of one family that was taken away comes back for the address that the Service shows', () => {
    const wide = groupObject('g', { segments: ['10.0.0.0/24', 'fd00::/64'] });
    const model = new VipsModel([wide]).put({ name: 'first' }).put(dual('PreferDualStack', IP46));
    expect(model.ingress('a')).toEqual(['10.0.0.1', 'fd00::']);
    model.delete('first');
    model.record.delete('10.0.0.1');
    model.settle();
    expect([model.ingress('a'), model.holders()]).toEqual([
      ['10.0.0.1', 'fd00::'],
      { '10.0.0.1': 'test/a', 'fd00::': 'test/a' },
    ]);
  });

  test('without ipFamilies the primary family of the cluster counts', () => {
    const model = new VipsModel([BOTH]);
    model.families = [6, 4];
    expect(model.put({ name: 'a' }).ingress('a')).toEqual(['fd00::1']);
  });
});
