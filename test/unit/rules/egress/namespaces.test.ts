import { PrefixSetBuilder } from '../../../../operator/addressing/prefix-set';
import { prefixOf } from '../../../../operator/addressing/prefix';
import { egressSpec } from '../../../support/egress-kind-samples';
import { EgressModel, entry, modelWith, served } from '../../../support/egress-model';

const [X, Y, Z] = [entry('10.0.1.0/24'), entry('10.0.2.0/24'), entry('10.0.3.0/24')];

describe('a namespace that opts in', () => {
  test('EG-case-1 gets the lowest address of the CIDR', () => {
    expect(served(modelWith(entry('192.169.0.0/24')), 'a').list('a')).toBe('192.169.0.1');
  });

  test('EG-case-2 EG-21 gets none that is reserved, and not the gateway', () => {
    const pool = entry('192.169.0.0/24', { reservedIPs: ['192.169.0.1'], gateway: '192.169.0.2' });
    expect(served(modelWith(pool), 'a').list('a')).toBe('192.169.0.3');
  });

  test('EG-case-3 EG-22 gets none that a Node has', () => {
    const model = modelWith(entry('192.169.0.0/24'));
    model.occupied.set('192.169.0.1', 'Node/worker-1');
    expect(served(model, 'a').list('a')).toBe('192.169.0.2');
  });

  test('EG-case-4 EG-24 comes after older ones, whatever their names are', () => {
    const runs = Array.from({ length: 50 }, () => {
      const model = served(modelWith(entry('192.169.0.0/24')), 'b', 'a');
      return [model.list('b'), model.list('a')].join();
    });
    expect([runs.length, [...new Set(runs)]]).toEqual([50, ['192.169.0.1,192.169.0.2']]);
  });

  test('EG-case-5 every address of a /29 is given, and the seventh namespace waits', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const model = served(modelWith(entry('10.0.0.0/29')), ...names);
    expect(names.map((name) => model.list(name))).toEqual([
      ...['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.6'],
      undefined,
    ]);
    expect(model.reason('g')).toBe('PoolExhausted');
    model.gone('c');
    model.settle();
    expect([model.list('g'), model.reason('g')]).toEqual(['10.0.0.3', undefined]);
  });

  test.each([
    ['10.0.0.0/30', ['10.0.0.1', '10.0.0.2', undefined]],
    ['10.0.0.0/31', ['10.0.0.0', '10.0.0.1', undefined]],
    ['10.0.0.9/32', ['10.0.0.9', undefined, undefined]],
  ])('EG-case-6 all of %s is given', (CIDR, lists) => {
    const model = served(modelWith(entry(CIDR)), 'a', 'b', 'c');
    expect(['a', 'b', 'c'].map((name) => model.list(name))).toEqual(lists);
  });

  test('EG-case-12 gets one address of each CIDR, in the order of the spec', () => {
    expect(served(modelWith(Y, X), 'a').list('a')).toBe('10.0.2.1,10.0.1.1');
  });

  test('EG-case-67 gets an address of each family', () => {
    const model = served(modelWith(X, entry('fd00::5/128')), 'a');
    expect(model.reason('a')).toBeUndefined();
    expect(model.list('a')).toBe('10.0.1.1,fd00::5');
  });

  test('EG-26 with one of its CIDRs full holds nothing of the others, and its neighbours go on', () => {
    const model = served(modelWith(X, entry('10.0.9.9/32')), 'a', 'b');
    expect([model.list('b'), model.held('b'), model.reason('b')]).toEqual([undefined, [], 'PoolExhausted']);
    expect(model.list('a')).toBe('10.0.1.1,10.0.9.9');
  });

  test('EG-23 gets nothing before everything that uses addresses is known, and keeps what it has', () => {
    const model = served(modelWith(X), 'a');
    model.isComplete = false;
    model.namespace('b', 'bm');
    model.settle();
    expect([model.list('b'), model.reason('b'), model.list('a')]).toEqual([undefined, 'UsesUnknown', '10.0.1.1']);
    model.isComplete = true;
    model.settle();
    expect(model.list('b')).toBe('10.0.1.2');
  });

  test('gets none of a pool of a stronger door', () => {
    const model = modelWith(entry('10.0.1.0/29'));
    model.stronger = new PrefixSetBuilder().add(prefixOf('10.0.1.0/30')).build();
    expect(served(model, 'a').list('a')).toBe('10.0.1.4');
    expect(model.plans()[0]?.overlapsOtherDoor).toBe(true);
  });

  test('EG-case-30 EG-17 gets nothing while it is terminating, and keeps what it has until it is gone', () => {
    const model = served(modelWith(X), 'a');
    for (const name of ['a', 'b'])
      (name === 'b' ? model.namespace('b', 'bm') : model.namespaces.get(name))!.isDying = true;
    model.settle();
    expect([model.held('a'), model.held('b'), model.list('b')]).toEqual([['10.0.1.1'], [], undefined]);
  });

  test('is served only where spec.namespaceSelector chooses it, and keeps what it has', () => {
    const model = new EgressModel();
    const namespaceSelector = { matchLabels: { team: 'net' } };
    model.ipam('bm', { ...egressSpec(X), namespaceSelector });
    model.namespace('a', 'bm').labels = { team: 'net' };
    served(model, 'b');
    expect([model.list('a'), model.reason('b')]).toEqual(['10.0.1.1', 'NamespaceNotSelected']);
    model.namespaces.get('a')!.labels = {};
    model.settle();
    expect([model.list('a'), model.reason('a')]).toEqual(['10.0.1.1', 'NamespaceNotSelected']);
  });

  test('that was made anew under its name goes on with its addresses', () => {
    const model = served(modelWith(X), 'b', 'a');
    const { uid } = model.namespace('a', 'bm');
    model.settle();
    expect(model.list('a')).toBe('10.0.1.2');
    expect(model.claims.find(({ namespace }) => namespace === 'a')?.uid).toBe(uid);
  });
});

describe('the CIDRs of an EgressIPAM', () => {
  test('EGR-03 EG-case-13 EG-10 in another order leave list and addresses as they are', () => {
    const model = served(modelWith(X, Y), 'a');
    model.ipam('bm', egressSpec(Y, X));
    model.settle();
    expect([model.list('a'), model.reason('a'), model.held('a')]).toEqual([
      '10.0.1.1,10.0.2.1',
      undefined,
      ['10.0.1.1', '10.0.2.1'],
    ]);
  });

  test('EG-case-14 EG-11 with one more give the missing address alone', () => {
    const model = served(modelWith(X, Y), 'b', 'a');
    model.ipam('bm', egressSpec(X, Z, Y));
    model.settle();
    expect([model.list('b'), model.list('a')]).toEqual(['10.0.1.1,10.0.3.1,10.0.2.1', '10.0.1.2,10.0.3.2,10.0.2.2']);
  });

  test('EG-case-14 EG-11 with one more that is full leave the namespace what it has', () => {
    const model = served(modelWith(X), 'b', 'a');
    model.ipam('bm', egressSpec(X, entry('10.0.9.9/32')));
    model.settle();
    expect([model.list('b'), model.list('a')]).toEqual(['10.0.1.1,10.0.9.9', '10.0.1.2']);
    expect(model.reason('a')).toBe('PoolExhausted');
  });

  test('EG-case-15 EG-11 with one fewer release its addresses by force alone', () => {
    const model = served(modelWith(X, Y), 'a');
    model.ipam('bm', egressSpec(Y));
    model.settle();
    expect([model.list('a'), model.held('a')]).toEqual(['10.0.1.1,10.0.2.1', ['10.0.1.1', '10.0.2.1']]);
    model.ipam('bm', egressSpec(Y), { annotations: { 'egressip-ipam-operator.redhat-cop.io/force': 'true' } });
    model.settle();
    expect([model.list('a'), model.held('a')]).toEqual(['10.0.2.1', ['10.0.2.1']]);
  });

  test('an address that is reserved later stays with its namespace', () => {
    const model = served(modelWith(X), 'a');
    model.ipam('bm', egressSpec(entry('10.0.1.0/24', { reservedIPs: ['10.0.1.1'] })));
    model.settle();
    expect(model.list('a')).toBe('10.0.1.1');
  });

  test('EG-case-10 EG-27 of two EgressIPAMs that overlap: the older one gives, unless one of them allows it', () => {
    const model = modelWith(X);
    model.ipam('late', egressSpec(entry('10.0.1.0/25')));
    model.namespace('b', 'late');
    served(model, 'a');
    expect([model.list('a'), model.reason('b')]).toEqual(['10.0.1.1', 'Overlap']);
    model.ipam('late', { ...egressSpec(entry('10.0.1.0/25')), allowOverlap: true });
    model.settle();
    expect([model.list('a'), model.list('b')]).toEqual(['10.0.1.1', '10.0.1.2']);
  });

  test('EG-case-26 EG-12 of a spec that became invalid leave namespaces what they have', () => {
    const model = served(modelWith(X), 'a');
    model.ipam('bm', egressSpec(entry('10.0.1.5/24')));
    model.namespace('b', 'bm');
    model.settle();
    expect([model.list('a'), model.list('b')]).toEqual(['10.0.1.1', undefined]);
    expect([model.reason('a'), model.reason('b')]).toEqual(['InvalidEgressIPAM', 'InvalidEgressIPAM']);
    model.goneIpam('bm');
    expect([model.list('a'), model.claims]).toEqual([undefined, []]);
  });
});

describe('the annotations of a namespace', () => {
  test('EG-case-20 EG-15 without the opt-in the addresses are released and the list is taken off', () => {
    const model = served(modelWith(X), 'a');
    model.annotate('a', undefined, '10.0.1.1');
    model.settle();
    expect([model.list('a'), model.claims]).toEqual([undefined, []]);
  });

  test('EG-15 a list that tells something else stays where the opt-in goes', () => {
    const model = served(modelWith(X), 'a');
    model.annotate('a', undefined, '192.0.2.1');
    model.settle();
    expect([model.list('a'), model.claims]).toEqual(['192.0.2.1', []]);
  });

  test('EG-case-21 EG-16 without the list alone the same address comes back', () => {
    const model = served(modelWith(X), 'b', 'a');
    model.gone('b');
    model.annotate('a', 'bm', undefined);
    model.settle();
    expect(model.list('a')).toBe('10.0.1.2');
  });

  test('EG-16 without the list an address that became reserved is replaced', () => {
    const model = served(modelWith(X), 'a');
    model.ipam('bm', egressSpec(entry('10.0.1.0/24', { reservedIPs: ['10.0.1.1'] })));
    model.annotate('a', 'bm', undefined);
    model.settle();
    expect([model.list('a'), model.held('a')]).toEqual(['10.0.1.2', ['10.0.1.2']]);
  });

  test('EG-case-22 EG-14 with another EgressIPAM the addresses are of that one', () => {
    const model = modelWith(X);
    model.ipam('other', egressSpec(Y));
    served(model, 'a');
    model.annotate('a', 'other', '10.0.1.1');
    model.settle();
    expect([model.list('a'), model.held('a'), model.reason('a')]).toEqual(['10.0.2.1', ['10.0.2.1'], undefined]);
    expect(model.namespaces.get('a')?.writes).toBe(2);
  });

  test('EG-14 with another EgressIPAM that has the address too it is kept', () => {
    const model = modelWith(X);
    model.ipam('other', { ...egressSpec(entry('10.0.1.0/25')), allowOverlap: true });
    served(model, 'b', 'a');
    model.annotate('a', 'other', '10.0.1.2');
    model.settle();
    expect([model.list('a'), model.claims.find(({ namespace }) => namespace === 'a')?.egressIpam]).toEqual([
      '10.0.1.2',
      'other',
    ]);
  });

  test('EG-14 with another EgressIPAM that is full the namespace keeps what it has', () => {
    const model = modelWith(X);
    model.ipam('other', egressSpec(entry('10.0.9.9/32')));
    model.namespace('b', 'other');
    served(model, 'a');
    model.annotate('a', 'other', '10.0.1.1');
    model.settle();
    expect([model.list('a'), model.held('a'), model.reason('a')]).toEqual(['10.0.1.1', ['10.0.1.1'], 'PoolExhausted']);
  });

  test('EG-case-23 EG-14 EG-29 with another free address that one is taken, and the old one waits in quarantine', () => {
    const model = new EgressModel();
    model.ipam('bm', { ...egressSpec(X), quarantineSeconds: 60 });
    served(model, 'a');
    model.annotate('a', 'bm', '10.0.1.9');
    served(model, 'b');
    expect([model.held('a'), model.list('b')]).toEqual([['10.0.1.9'], '10.0.1.2']);
    model.annotate('a', 'bm', '10.0.1.1');
    model.settle();
    expect(model.held('a')).toEqual(['10.0.1.1']);
  });

  test('EG-29 an address in quarantine comes back to its former namespace, and to no other one', () => {
    const model = new EgressModel();
    model.ipam('bm', { ...egressSpec(X), quarantineSeconds: 60 });
    served(model, 'a');
    model.annotate('a', undefined, undefined);
    model.namespace('b', 'bm', '10.0.1.1');
    model.settle();
    expect([model.held('a'), model.reason('b')]).toEqual([[], 'AddressQuarantined']);
    model.annotate('a', 'bm', undefined);
    model.settle();
    expect(model.held('a')).toEqual(['10.0.1.1']);
    model.annotate('a', undefined, undefined);
    model.settle();
    model.later();
    model.settle();
    expect(model.held('b')).toEqual(['10.0.1.1']);
  });

  test('with one of several addresses taken off it is put back', () => {
    const model = served(modelWith(X, Y), 'a');
    model.annotate('a', 'bm', '10.0.2.1');
    model.settle();
    expect(model.list('a')).toBe('10.0.1.1,10.0.2.1');
  });

  test('EG-12 with a list that is wrong the namespace keeps what it holds', () => {
    const model = served(modelWith(X), 'a');
    model.annotate('a', 'bm', 'foo');
    model.settle();
    expect([model.list('a'), model.held('a'), model.reason('a')]).toEqual(['foo', ['10.0.1.1'], 'InvalidList']);
  });

  test('EG-case-29 EG-18 that name no EgressIPAM are told, and followed once it is there', () => {
    const model = new EgressModel();
    model.namespace('a', 'bm');
    model.settle();
    expect([model.list('a'), model.problems.get('a')]).toEqual([
      undefined,
      {
        state: 'pending',
        reason: 'EgressIPAMNotFound',
        message:
          'metadata.annotations[egressip-ipam-operator.redhat-cop.io/egressipam]: EgressIPAM "bm" does not exist',
      },
    ]);
    model.ipam('bm', egressSpec(X));
    model.settle();
    expect([model.list('a'), model.reason('a')]).toEqual(['10.0.1.1', undefined]);
  });
});

describe('an EgressIPAM that is deleted', () => {
  test('EG-case-25 takes lists and addresses with it, and leaves the opt-in', () => {
    const model = served(modelWith(X), 'a', 'b');
    model.goneIpam('bm');
    expect([model.list('a'), model.list('b'), model.claims]).toEqual([undefined, undefined, []]);
    expect([...(model.namespaces.get('a')?.annotations.values() ?? [])]).toEqual(['bm']);
  });

  test('EG-case-27 leaves lists and addresses where it says so', () => {
    const model = new EgressModel();
    model.ipam('bm', { ...egressSpec(X), deletionPolicy: 'Retain' });
    served(model, 'a').goneIpam('bm');
    model.settle();
    expect([model.list('a'), model.held('a'), model.reason('a')]).toEqual([
      '10.0.1.1',
      ['10.0.1.1'],
      'EgressIPAMNotFound',
    ]);
  });
});
