import { addressOf } from '../../../../operator/addressing/address';
import { readList } from '../../../../operator/rules/egress/read-namespace';
import { entry, modelWith, served } from '../../../support/egress-model';

const [X, Y] = [entry('10.0.1.0/24'), entry('10.0.2.0/24')];

test('EG-13 a list of any length is read in time that grows with it', () => {
  const text = Array.from({ length: 60_000 }, (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
  const begun = performance.now();
  expect(readList(text.join())).toMatchObject({ kind: 'listed' });
  expect(readList([...text, '10.0.0.1'].join())).toMatchObject({ kind: 'malformed' });
  // with a look at all earlier ones for each address it took minutes
  expect(performance.now() - begun).toBeLessThan(5_000);
});

describe('EG-case-17 EG-13 a list that was given beforehand', () => {
  const LISTED: readonly (readonly [string, string, string | undefined])[] = [
    ['EG-case-16 that is valid is kept', '10.0.1.77,10.0.2.88', undefined],
    ['in another order is kept', '10.0.2.88,10.0.1.77', undefined],
    ['with blanks is kept', ' 10.0.1.77, 10.0.2.88', undefined],
    ['with too few addresses', '10.0.1.77', 'AddressMissing'],
    ['with too many addresses', '10.0.1.77,10.0.2.88,10.0.2.89', 'OneAddressPerCIDR'],
    ['with an address of no CIDR', '10.0.1.77,10.9.9.9', 'AddressOutOfRange'],
    ['with an address that is reserved', '10.0.1.7,10.0.2.88', 'AddressReserved'],
    ['with the broadcast address', '10.0.1.255,10.0.2.88', 'AddressReserved'],
    ['with the address of a Node', '10.0.1.8,10.0.2.88', 'AddressInUse'],
    ['with an address of another namespace', '10.0.1.1,10.0.2.88', 'AddressInUse'],
    ['that is no list', '10.0.1.77;10.0.2.88', 'InvalidList'],
    ['with an address twice', '10.0.1.77,10.0.1.77', 'InvalidList'],
    ['with an empty place', '10.0.1.77,,10.0.2.88', 'InvalidList'],
  ];

  test.each(LISTED)('%s', (_title, list, reason) => {
    const model = modelWith(entry('10.0.1.0/24', { reservedIPs: ['10.0.1.7'] }), Y);
    model.occupied.set('10.0.1.8', 'Node/worker-1');
    served(model, 'b');
    model.namespace('a', 'bm', list);
    served(model, 'c');
    expect([model.list('a'), model.reason('a')]).toEqual([list, reason]);
    expect(model.namespaces.get('a')?.writes).toBe(0);
    expect([...model.held('a')].sort()).toEqual(reason === undefined ? ['10.0.1.77', '10.0.2.88'] : []);
    expect([model.list('b'), model.list('c')]).toEqual(['10.0.1.1,10.0.2.1', '10.0.1.2,10.0.2.2']);
  });

  test('may have a reserved address where the namespace says so, and never a taken one', () => {
    const model = modelWith(entry('10.0.1.0/24', { reservedIPs: ['10.0.1.7', '10.0.1.8'] }));
    model.occupied.set('10.0.1.8', 'Node/worker-1');
    for (const [name, list] of [
      ['a', '10.0.1.7'],
      ['b', '10.0.1.8'],
    ] as const)
      model.namespace(name, 'bm', list).annotations.set('egressip-ipam-operator.redhat-cop.io/allow-reserved', 'true');
    model.settle();
    expect([model.held('a'), model.reason('a')]).toEqual([['10.0.1.7'], undefined]);
    expect([model.held('b'), model.reason('b')]).toEqual([[], 'AddressInUse']);
  });

  test('EG-25 of two namespaces with one address the older one holds it', () => {
    const model = modelWith(X);
    model.namespace('b', 'bm', '10.0.1.9');
    model.namespace('a', 'bm', '10.0.1.9');
    model.settle();
    expect([model.held('b'), model.held('a'), model.reason('a')]).toEqual([['10.0.1.9'], [], 'AddressInUse']);
    expect(model.problems.get('a')?.message).toContain('Namespace b');
  });

  test('EG-25 puts everything back on record where the record was lost', () => {
    const model = served(modelWith(X, Y), 'b', 'a');
    const before = model.claims;
    model.claims = [];
    model.settle();
    expect(model.claims).toEqual(before);
  });

  test('EG-case-19 that is empty counts as none', () => {
    const model = modelWith(X);
    model.namespace('a', 'bm', '');
    model.settle();
    expect(model.list('a')).toBe('10.0.1.1');
  });
});

test('readList takes IPv6 in any spelling', () => {
  expect(readList('FD00:0::1, 10.0.0.1')).toEqual({
    kind: 'listed',
    addresses: ['fd00::1', '10.0.0.1'].map(addressOf),
  });
});
