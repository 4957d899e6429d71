import { addressOf } from '../../../../operator/addressing/address';
import { explainFreeAddress, explainGroups } from '../../../../operator/rules/vips';
import type { AddressUse } from '../../../../operator/rules/vips/types';
import { PrefixSetBuilder } from '../../../../operator/addressing/prefix-set';
import { prefixOf } from '../../../../operator/addressing/prefix';
import { groupObject } from '../../../support/vip-kind-samples';
import { VipsModel } from '../../../support/vips-model';

const explain = (model: VipsModel, text: string, use: AddressUse = { kind: 'free' }) => {
  const address = addressOf(text);
  return explainFreeAddress({ address, groups: model.plan().map(({ group }) => group), use });
};

describe('explainFreeAddress', () => {
  const web = groupObject('web', { segment: '192.0.2.0/28', excludedIPs: ['192.0.2.1'] });

  test('says that an address is free', () => {
    expect(explain(new VipsModel([web]), '192.0.2.2')).toEqual({
      known: true,
      sentences: ['192.0.2.2 is free in IPGroup web: it is given to a Service that asks for it'],
    });
  });

  test('says of a group that serves those alone which name it', () => {
    const model = new VipsModel([groupObject('web', { segment: '192.0.2.0/28', explicitOnly: true })]);
    expect(explain(model, '192.0.2.2').sentences[1]).toContain('only Services that name it');
  });

  test('says that no group has the address, and what shows it all the same', () => {
    const use: AddressUse = { kind: 'occupied', source: 'Node/worker' };
    expect(explain(new VipsModel([web]), '203.0.113.1', use)).toEqual({
      known: false,
      sentences: [
        '203.0.113.1 lies in no IPGroup, so it is given to no Service',
        'Node/worker shows 203.0.113.1, so it is in use without a claim',
      ],
    });
  });

  test.each([
    ['an exclusion', new VipsModel([web]), '192.0.2.1', 'it is excluded (spec.excludedIPs of IPGroup web)'],
    [
      'a drain',
      new VipsModel([groupObject('web', { segment: '192.0.2.0/28', draining: true })]),
      '192.0.2.2',
      'IPGroup web is draining and gives nothing new',
    ],
  ])('says that %s keeps the address', (...[, model, address, why]) => {
    const { known, sentences } = explain(model, address);
    expect([known, sentences]).toEqual([true, [`${address} lies in IPGroup web, and cannot be taken`, why]]);
  });

  test('says that another door has the address', () => {
    const model = new VipsModel([web]);
    model.stronger = new PrefixSetBuilder().add(prefixOf('192.0.2.8/29')).build();
    expect(explain(model, '192.0.2.9').sentences[1]).toBe('it belongs to another front door or to an older IPGroup');
  });
});

describe('explainGroups', () => {
  const groups = [
    groupObject('web', { segment: '192.0.2.0/31' }),
    groupObject('named', { segment: '198.51.100.0/31', explicitOnly: true }),
    groupObject('other', { segment: '203.0.113.0/31', loadBalancerClass: 'other/class' }),
    groupObject('six', { segment: '2001:db8::/64' }),
  ];
  const explained = (model: VipsModel, free = 0n): readonly string[] => {
    const facts = model.facts('a');
    return explainGroups(facts, model.view(facts.service), () => free);
  };

  test('says of each group what it can do for a Service', () => {
    expect(explained(new VipsModel(groups).put({ name: 'a' })).toSorted()).toEqual([
      'IPGroup named serves only Services that name it or one of its addresses (spec.explicitOnly)',
      'IPGroup other serves only Services of spec.loadBalancerClass "other/class"',
      'IPGroup six serves it and has no IPv4 addresses',
      'IPGroup web serves it and has no free IPv4 address',
    ]);
  });

  test('goes by the wish of the Service', () => {
    const named = new VipsModel(groups).put({ name: 'a', annotations: { 'paas.org/ipgroup': 'named' } });
    expect(explained(named, 2n)).toContain('IPGroup named serves it and has 2 free IPv4 addresses');
    expect(explained(named)).toContain('IPGroup web is not the one that the Service names');
    const wished = new VipsModel(groups).put({ name: 'a', annotations: { 'paas.org/addresses': '192.0.2.1' } });
    expect(explained(wished)).toContain('IPGroup six does not have the address that the Service asks for');
  });

  test('says that there is no group', () => {
    expect(explained(new VipsModel().put({ name: 'a' }))).toEqual(['there is no IPGroup in this cluster']);
  });
});
