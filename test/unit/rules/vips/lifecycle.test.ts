import { addressOf } from '../../../../operator/addressing/address';
import { decideOrphan } from '../../../../operator/rules/vips';
import type { ServiceDecision } from '../../../../operator/rules/vips/types';
import { groupObject, OLD_POOLS } from '../../../support/vip-kind-samples';
import { VipsModel, type AskedService } from '../../../support/vips-model';

const [P1, P2] = OLD_POOLS;
const first = (): VipsModel => new VipsModel([P1]).put({ name: 'a' });
const wanting = (loadBalancerIP: string): AskedService => ({ name: 'a', spec: { loadBalancerIP } });

/** A Service as another program left it. */
function found(
  model: VipsModel,
  asked: AskedService,
  status: { shown?: string[]; isHostNameShown?: boolean; isOld?: boolean },
) {
  const { shown = [], isHostNameShown = false, isOld = false } = status;
  model.services.set(`test/${asked.name}`, {
    asked,
    shown: shown.map(addressOf),
    isHostNameShown,
    hasOldFinalizer: isOld,
    writes: 0,
  });
}

const untouched = {
  act: 'leave',
  release: [],
  isIngressCleared: false,
  isConditionCleared: false,
  areFinalizersCleared: false,
};

const servedBy = (decision: ServiceDecision) => {
  if (decision.act !== 'serve') throw new RangeError('the Service is left');
  return decision;
};

describe('a Service that changes', () => {
  test('VIP-T26 VIP-T27 gives its address back with its type, and gets one again', () => {
    const model = first().put({ name: 'a', spec: { type: 'ClusterIP', loadBalancerClass: undefined } });
    expect([model.ingress('a'), model.condition('a'), model.holders()]).toEqual([[], undefined, {}]);
    model.put({ name: 'a' });
    expect(model.holders()).toEqual({ '1.1.1.1': 'test/a' });
  });

  test('VIP-T28 keeps its address until the wished one is there', () => {
    const model = first();
    model.stored('a').asked = wanting('1.1.1.5');
    const decision = servedBy(model.decide('test/a'));
    expect(decision.slots.map(({ replaces }) => replaces.map(({ address }) => address.toString()))).toEqual([
      ['1.1.1.1'],
    ]);
    expect(decision.surplus).toEqual([]);
    model.reconcile('test/a');
    expect([model.ingress('a'), model.holders()]).toEqual([['1.1.1.5'], { '1.1.1.5': 'test/a' }]);
    expect(model.stored('a').writes).toBe(2);
  });

  test.each([
    ['VIP-T29 excluded', '1.1.1.2', 'RequestedAddressExcluded'],
    ['in no group', '9.9.9.9', 'RequestedAddressNotInAnyGroup'],
    ['nonsense', 'foo', 'RequestedAddressInvalid'],
  ])('keeps its address when the wished one is %s', (_title, wish, reason) => {
    const model = first().put(wanting(wish));
    expect([model.ingress('a'), model.condition('a')?.reason]).toEqual([['1.1.1.1'], reason]);
    expect(model.condition('a')?.message).toContain('1.1.1.1 from IPGroup ipgroup-1');
  });

  test('VIP-T30 keeps a wished address when the wish goes', () => {
    const model = new VipsModel([P2]).put(wanting('1.1.2.4')).put({ name: 'a' });
    expect([model.ingress('a'), model.holders()]).toEqual([['1.1.2.4'], { '1.1.2.4': 'test/a' }]);
  });

  test('moves to a group that it names', () => {
    const model = new VipsModel([P1, P2]).put({ name: 'a' });
    model.put({ name: 'a', annotations: { 'paas.org/ipgroup': 'ipgroup-2' } });
    expect([model.ingress('a'), model.holders()]).toEqual([['1.1.2.2'], { '1.1.2.2': 'test/a' }]);
  });

  test('R10 VIP-T31 VIP-T32 that was given two addresses keeps the one that its status shows', () => {
    const model = first();
    model.record.set('1.1.1.5', {
      group: 'ipgroup-1',
      holders: [{ owner: { namespace: 'test', name: 'a', uid: 'uid-test-a' } }],
    });
    model.settle();
    expect([model.ingress('a'), model.holders()]).toEqual([['1.1.1.1'], { '1.1.1.1': 'test/a' }]);
  });

  test('VIP-T39 that is made anew goes on with the address under its new UID', () => {
    const model = first();
    model.services.delete('test/a');
    model.put({ name: 'a', uid: 'new' });
    expect(model.ingress('a')).toEqual(['1.1.1.1']);
    expect([...model.record.values()].map(({ holders }) => holders.map(({ owner }) => owner.uid))).toEqual([['new']]);
  });

  test('VIP-T25 VIP-T33 keeps what it has while it dies, gets nothing new, and loses an old finalizer', () => {
    const model = first();
    model.stored('a').hasOldFinalizer = true;
    model.stored('a').asked = { name: 'a', isDying: true };
    expect(model.decide('test/a')).toEqual({ ...untouched, areFinalizersCleared: true });
    model.reconcile('test/a');
    expect([model.ingress('a'), model.stored('a').hasOldFinalizer]).toEqual([['1.1.1.1'], false]);
    model.put({ name: 'b', isDying: true });
    expect(model.ingress('b')).toEqual([]);
  });
});

describe('a status that another program wrote', () => {
  test('VIP-T36 is written again after it was cleared', () => {
    const model = first();
    model.stored('a').shown = [];
    model.settle();
    expect([model.ingress('a'), model.holders()]).toEqual([['1.1.1.1'], { '1.1.1.1': 'test/a' }]);
  });

  test('VIP-T40 of another class is not touched', () => {
    const model = new VipsModel([P1]);
    found(model, { name: 'x', spec: { loadBalancerClass: 'other/lb' } }, { shown: ['1.1.1.3'] });
    expect(model.decide('test/x')).toEqual(untouched);
  });

  test.each([
    ['a host name', { isHostNameShown: true }],
    ['an address', { shown: ['1.1.1.3'] }],
  ])('VIP-T41 with %s is not touched, and told of', (_title, status) => {
    const model = new VipsModel([P1]);
    found(model, { name: 'x' }, status);
    expect(model.decide('test/x')).toMatchObject({ ...untouched, warning: { reason: 'Conflict' } });
    model.settle();
    expect([model.holders(), model.stored('x').writes]).toEqual([{}, 0]);
  });

  test('with a host name loses the finalizer of the older operator, which could not be deleted', () => {
    const model = new VipsModel([P1]);
    found(model, { name: 'x' }, { isHostNameShown: true, isOld: true });
    expect(model.decide('test/x')).toMatchObject({ areFinalizersCleared: true, warning: { reason: 'Conflict' } });
  });

  test('loses what was added beside the own address', () => {
    const model = first();
    model.stored('a').shown = ['1.1.1.1', '9.9.9.9'].map(addressOf);
    model.settle();
    expect(model.ingress('a')).toEqual(['1.1.1.1']);
  });
});

describe('a record that is not complete', () => {
  test('R8 never gives what another Service shows already', () => {
    const model = new VipsModel([P1]);
    model.record.set('1.1.1.1', {
      group: 'ipgroup-1',
      holders: [{ owner: { namespace: 'test', name: 'a', uid: 'uid-test-a' } }],
    });
    model.shownByOthers.add('1.1.1.1');
    model.put({ name: 'a' });
    expect([model.ingress('a'), model.holders()]).toEqual([['1.1.1.3'], { '1.1.1.3': 'test/a' }]);
  });

  test('R13 a Service that was served keeps what another one has on record by now, and is told until that goes', () => {
    const model = first();
    model.record.set('1.1.1.1', {
      group: 'ipgroup-1',
      holders: [{ owner: { namespace: 'test', name: 'b', uid: 'uid-test-b' } }],
    });
    model.settle();
    expect([model.ingress('a'), model.condition('a')]).toMatchObject([['1.1.1.1'], { reason: 'Conflict' }]);
    expect(model.condition('a')?.message).toContain('1.1.1.1 is shown, but test/b has it');
    model.put(wanting('1.1.1.5'));
    expect([model.ingress('a'), model.holders()]).toEqual([['1.1.1.5'], { '1.1.1.1': 'test/b', '1.1.1.5': 'test/a' }]);
  });

  test('VIP-T34 VIP-T35 is made again from what a Service of this door shows', () => {
    const model = first();
    model.record.clear();
    expect(servedBy(model.decide('test/a')).restore).toEqual([
      { kind: 'take', address: addressOf('1.1.1.1'), group: 'ipgroup-1' },
    ]);
    model.settle();
    expect(model.holders()).toEqual({ '1.1.1.1': 'test/a' });
    model.put({ name: 'b' });
    expect(model.ingress('b')).toEqual(['1.1.1.3']);
  });

  test('VIP-T42 VIP-T37 takes over what version 1.0 left, without moving an address', () => {
    const model = new VipsModel([P1]);
    found(model, { name: 'a' }, { shown: ['1.1.1.5'], isOld: true });
    found(model, { name: 'b' }, { shown: ['1.1.1.6'], isOld: true });
    model.record.set('1.1.1.6', {
      group: 'ipgroup-1',
      holders: [{ owner: { namespace: 'test', name: 'b', uid: '' } }],
    });
    model.settle();
    expect([model.ingress('a'), model.ingress('b')]).toEqual([['1.1.1.5'], ['1.1.1.6']]);
    expect(model.holders()).toEqual({ '1.1.1.5': 'test/a', '1.1.1.6': 'test/b' });
    expect([...model.record.values()].flatMap(({ holders }) => holders.map(({ owner }) => owner.uid)).sort()).toEqual([
      ...['uid-test-a', 'uid-test-b'],
    ]);
    expect(model.stored('a').hasOldFinalizer).toBe(false);
  });

  test('VIP-T42 takes over an address that is excluded or drains by now', () => {
    const draining = groupObject('g', { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.5'], draining: true });
    const model = new VipsModel([draining]);
    found(model, { name: 'a' }, { shown: ['1.1.1.5'], isOld: true });
    model.settle();
    expect([model.ingress('a'), model.holders()]).toEqual([['1.1.1.5'], { '1.1.1.5': 'test/a' }]);
  });

  test('never takes over an address that another Service holds, and changes neither', () => {
    const model = first();
    found(model, { name: 'b' }, { shown: ['1.1.1.1'], isOld: true });
    model.settle();
    expect(model.decide('test/b')).toMatchObject({ ...untouched, warning: { reason: 'Conflict' } });
    expect([model.ingress('a'), model.ingress('b'), model.holders()]).toEqual([
      ...[['1.1.1.1'], ['1.1.1.1'], { '1.1.1.1': 'test/a' }],
    ]);
  });
});

describe('an entry whose Service is gone', () => {
  const facts = { uid: 'u', isUidStored: false, isDeletionSeen: false, missingForMs: 0, graceMs: 300_000 };
  test.each([
    ['VIP-T25 is released at once when the deletion was seen', { isDeletionSeen: true }, 'release'],
    ['VIP-T43 waits for a restore', { missingForMs: 299_999 }, 'wait'],
    ['VIP-T43 is released after the grace', { missingForMs: 300_000 }, 'release'],
    ['VIP-T39 goes to the Service of its name', { stored: { uid: 'v', isOurs: true }, isDeletionSeen: true }, 'rebind'],
    ['waits where the Service of its name is no LoadBalancer', { stored: { uid: 'v', isOurs: false } }, 'wait'],
    ['is live while its UID is stored', { isUidStored: true }, 'live'],
  ] as const)('%s', (_title, more, expected) => {
    expect(decideOrphan({ ...facts, ...more })).toBe(expected);
  });
});
