import { groupObject } from '../../../support/vip-kind-samples';
import { VipsModel, type AskedService } from '../../../support/vips-model';

const KEY = 'paas.org/sharing-key';

/** A Service with a sharing key, one port and a selector. */
function sharer(
  name: string,
  [port, protocol]: readonly [number, string],
  more: Partial<AskedService> & { key?: string; policy?: string; app?: string } = {},
): AskedService {
  const { key = 'k', policy = 'Cluster', app = 'x', ...rest } = more;
  return {
    name,
    annotations: key === '' ? {} : { [KEY]: key },
    spec: {
      ports: [{ port, protocol }],
      selector: { app },
      externalTrafficPolicy: policy,
      loadBalancerIP: '192.0.2.53',
    },
    ...rest,
  };
}

const withOwner = (key = 'k'): VipsModel =>
  new VipsModel([groupObject('g', { segment: '192.0.2.0/24' })]).put(sharer('a', [53, 'UDP'], { key }));

describe('REQ-03 an address with a sharing key', () => {
  test('is shared by another port or protocol', () => {
    const model = withOwner().put(sharer('b', [53, 'TCP']));
    expect(model.holders()).toEqual({ '192.0.2.53': 'test/a,test/b' });
    model.delete('a');
    expect(model.holders()).toEqual({ '192.0.2.53': 'test/b' });
  });

  test.each([
    ['C, the same port and protocol', sharer('c', [53, 'UDP']), 'port 53/UDP'],
    ['D, no key', sharer('d', [80, 'TCP'], { key: '' }), 'test/a has it'],
    ['E, Local with other pods', sharer('e', [443, 'TCP'], { policy: 'Local', app: 'y' }), 'externalTrafficPolicy'],
    ['F, Local beside Cluster', sharer('f', [8443, 'TCP'], { policy: 'Local' }), 'externalTrafficPolicy'],
    ['G, another key', sharer('g', [80, 'TCP'], { key: 'j' }), 'sharing key "j"'],
    ['H, another namespace', sharer('h', [80, 'TCP'], { namespace: 'other' }), 'another namespace'],
  ])('is refused to %s', (_title, asked, rule) => {
    const model = withOwner().put(asked);
    const condition = model.condition(`${asked.namespace ?? 'test'}/${asked.name}`);
    expect(model.holders()).toEqual({ '192.0.2.53': 'test/a' });
    expect(condition).toMatchObject({ status: 'False', reason: 'RequestedAddressInUse' });
    expect(condition?.message).toContain(rule);
    expect(condition?.message).toContain('test/a');
  });

  test('is shared by two namespaces under a key that lists both', () => {
    const key = 'other,test/dns';
    const model = withOwner(key).put(sharer('h', [80, 'TCP'], { namespace: 'other', key }));
    expect(model.holders()).toEqual({ '192.0.2.53': 'test/a,other/h' });
    model.put(sharer('i', [81, 'TCP'], { namespace: 'third', key }));
    expect(model.condition('third/i')?.reason).toBe('RequestedAddressInUse');
  });

  test('is found by the key alone', () => {
    const model = withOwner();
    const alone = { ...sharer('b', [53, 'TCP']).spec, loadBalancerIP: undefined };
    model.put({ name: 'b', annotations: { [KEY]: 'k' }, spec: alone });
    model.put({ name: 'c', annotations: { [KEY]: 'k' }, spec: alone });
    expect([model.ingress('b'), model.ingress('c')]).toEqual([['192.0.2.53'], ['192.0.2.0']]);
  });

  test('is kept by both when the later one changes against the rules, and the later one is told', () => {
    const model = withOwner()
      .put(sharer('b', [53, 'TCP']))
      .put(sharer('b', [53, 'UDP']));
    expect([model.ingress('a'), model.ingress('b')]).toEqual([['192.0.2.53'], ['192.0.2.53']]);
    expect(model.condition('b')).toMatchObject({ status: 'False', reason: 'Conflict' });
    expect(model.condition('a')).toMatchObject({ status: 'True' });
  });

  test.each([
    ['any address', {}, ['192.0.2.0'], 'Allocated'],
    ['the address', { loadBalancerIP: '192.0.2.53' }, [], 'RequestedAddressInUse'],
  ])(
    'goes to the one that joined where the first one shares no more before it was told of it, and wishes %s',
    (_what, wish, ...[ingress, reason]) => {
      const model = withOwner();
      const first = model.stored('a');
      first.shown = [];
      delete first.condition;
      model.put(sharer('b', [53, 'TCP']));
      model.put({ name: 'a', spec: wish });
      expect([model.ingress('a'), model.condition('a')?.reason]).toEqual([ingress, reason]);
      expect(model.holders()['192.0.2.53']).toBe('test/b');
      expect([model.ingress('b'), model.condition('b')?.status]).toEqual([['192.0.2.53'], 'True']);
    },
  );

  test('has the terms of today on record', () => {
    const model = withOwner().put(sharer('a', [5353, 'UDP']));
    expect(model.record.get('192.0.2.53')?.holders[0]?.terms?.ports).toEqual(['5353/UDP']);
    expect(model.put(sharer('c', [53, 'UDP'])).ingress('c')).toEqual(['192.0.2.53']);
  });
});
