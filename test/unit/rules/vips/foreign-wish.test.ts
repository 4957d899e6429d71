import { FOREIGN_NAMES, type ForeignLoadBalancer } from '../../../../operator/contract/foreign-load-balancers';
import { readVipWish } from '../../../../operator/rules/vips';
import { groupObject } from '../../../support/vip-kind-samples';
import { VipsModel, type AskedService } from '../../../support/vips-model';

type Annotations = Readonly<Record<string, string>>;

function model(...foreign: ForeignLoadBalancer[]): VipsModel {
  const made = new VipsModel([
    groupObject('g', { segment: '192.0.2.0/24' }),
    groupObject('named', { segments: ['198.51.100.0/24', '2001:db8::/64'], explicitOnly: true }),
  ]);
  made.foreign = foreign;
  return made;
}

const asking = (annotations: Annotations, more: Partial<AskedService> = {}): AskedService => ({
  name: 'a',
  annotations,
  ...more,
});
const conditionAfter = (foreign: readonly ForeignLoadBalancer[], asked: AskedService) =>
  model(...foreign)
    .put(asked)
    .condition('a');

/** Annotation by which an address is asked for: of each load balancer, in each of its spellings. */
const ADDRESS_KEYS: readonly (readonly [ForeignLoadBalancer, string])[] = [
  ['metallb', 'metallb.io/loadBalancerIPs'],
  ['metallb', 'metallb.universe.tf/loadBalancerIPs'],
  ['cilium', 'lbipam.cilium.io/ips'],
  ['cilium', 'io.cilium/lb-ipam-ips'],
  ['purelb', 'purelb.io/addresses'],
  ['kube-vip', 'kube-vip.io/loadbalancerIPs'],
  ['openelb', 'eip.openelb.kubesphere.io/v1alpha1'],
  ['openelb', 'eip.porter.kubesphere.io/v1alpha1'],
];
const POOL_KEYS: readonly (readonly [ForeignLoadBalancer, string])[] = [
  ['metallb', 'metallb.io/address-pool'],
  ['metallb', 'metallb.universe.tf/address-pool'],
  ['purelb', 'purelb.io/service-group'],
  ['openelb', 'eip.openelb.kubesphere.io/v1alpha2'],
  ['openelb', 'eip.porter.kubesphere.io/v1alpha2'],
];
const SHARING_KEYS: readonly (readonly [ForeignLoadBalancer, string])[] = [
  ['metallb', 'metallb.io/allow-shared-ip'],
  ['metallb', 'metallb.universe.tf/allow-shared-ip'],
  ['cilium', 'lbipam.cilium.io/sharing-key'],
  ['cilium', 'io.cilium/lb-ipam-sharing-key'],
  ['purelb', 'purelb.io/allow-shared-ip'],
];

describe.each(ADDRESS_KEYS)('%s: %s', (system, key) => {
  test('asks for an address where it is switched on', () => {
    expect(
      model(system)
        .put(asking({ [key]: '192.0.2.77' }))
        .ingress('a'),
    ).toEqual(['192.0.2.77']);
  });

  test('says nothing where it is not', () => {
    const others = FOREIGN_NAMES.filter((name) => name !== system);
    for (const foreign of [[], others])
      expect(
        model(...foreign)
          .put(asking({ [key]: '192.0.2.77' }))
          .ingress('a'),
      ).toEqual(['192.0.2.0']);
  });

  test.each([
    ['foo', 'foo'],
    ['192.0.2.7,192.0.2.8', 'several addresses of one family'],
    ['0.0.0.0', 'cannot be assigned'],
    ['192.0.2.0/24', '192.0.2.0/24'],
  ])('is refused by its name where it says %j', (text, why) => {
    const condition = conditionAfter([system], asking({ [key]: text }));
    expect(condition).toMatchObject({ status: 'False', reason: 'RequestedAddressInvalid' });
    expect(condition?.message).toContain(`metadata.annotations[${key}]: `);
    expect(condition?.message).toContain(why);
  });

  test('takes a list of both families', () => {
    const spec = { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] };
    const asked = asking({ [key]: ' 198.51.100.7, 2001:DB8::7 ' }, { spec });
    expect(model(system).put(asked).ingress('a')).toEqual(['198.51.100.7', '2001:db8::7']);
  });
});

describe.each(POOL_KEYS)('%s: %s', (system, key) => {
  test('names an IPGroup', () => {
    expect(
      model(system)
        .put(asking({ [key]: 'named' }))
        .ingress('a'),
    ).toEqual(['198.51.100.0']);
    expect(
      model()
        .put(asking({ [key]: 'named' }))
        .ingress('a'),
    ).toEqual(['192.0.2.0']);
  });

  test('waits while no IPGroup has the name, and says so', () => {
    const waiting = model(system).put(asking({ [key]: 'later' }));
    expect(waiting.condition('a')).toEqual({
      status: 'False',
      reason: 'NoMatchingGroup',
      message: `IPGroup "later", which metadata.annotations[${key}] names, does not exist`,
    });
    waiting.groups = [...waiting.groups, groupObject('later', { segment: '203.0.113.0/24' })];
    waiting.reconcile('test/a');
    expect(waiting.ingress('a')).toEqual(['203.0.113.0']);
  });
});

describe.each(SHARING_KEYS)('%s: %s', (system, key) => {
  const sharer = (name: string, port: number, namespace = 'test'): AskedService => ({
    name,
    namespace,
    annotations: { [key]: 'k' },
    spec: { ports: [{ port }] },
  });

  test('lets Services of one namespace share an address', () => {
    const shared = model(system).put(sharer('a', 80)).put(sharer('b', 443));
    expect(shared.holders()).toEqual({ '192.0.2.0': 'test/a,test/b' });
    const unshared = model().put(sharer('a', 80)).put(sharer('b', 443));
    expect(unshared.holders()).toEqual({ '192.0.2.0': 'test/a', '192.0.2.1': 'test/b' });
  });

  test('shares with our own key of the same text', () => {
    const own: AskedService = { ...sharer('b', 443), annotations: { 'paas.org/sharing-key': 'k' } };
    expect(model(system).put(sharer('a', 80)).put(own).holders()).toEqual({ '192.0.2.0': 'test/a,test/b' });
  });

  test('keeps Services of two namespaces apart without the consent of both', () => {
    const two = model(system)
      .put(sharer('a', 80))
      .put(sharer('b', 443, 'other'));
    expect(two.holders()).toEqual({ '192.0.2.0': 'test/a', '192.0.2.1': 'other/b' });
  });
});

describe('cilium: other namespaces of a sharing key', () => {
  const sharer = (namespace: string, port: number, across: string): AskedService => ({
    name: 'a',
    namespace,
    annotations: { 'lbipam.cilium.io/sharing-key': 'k', 'lbipam.cilium.io/sharing-cross-namespace': across },
    spec: { ports: [{ port }] },
  });
  const holders = (...services: readonly AskedService[]) => {
    const made = model('cilium');
    for (const each of services) made.put(each);
    return made.holders();
  };

  test('share where each lists the other, and where both take all', () => {
    expect(holders(sharer('one', 80, 'two'), sharer('two', 443, ' one '))).toEqual({ '192.0.2.0': 'one/a,two/a' });
    expect(holders(sharer('one', 80, '*'), sharer('two', 443, '*'))).toEqual({ '192.0.2.0': 'one/a,two/a' });
  });

  test('are refused where there are more than an IP can name', () => {
    const many = Array.from({ length: 40 }, (_, index) => `team-${String(index)}`).join(',');
    const condition = model('cilium')
      .put(sharer('one', 80, many))
      .condition('one/a');
    expect(condition?.reason).toBe('RequestedAddressInvalid');
    expect(condition?.message).toContain(
      'metadata.annotations[lbipam.cilium.io/sharing-key]: a sharing key has at most 253',
    );
  });

  test('do not share where one of them lists no other, or another one', () => {
    for (const across of ['', 'three'])
      expect(Object.keys(holders(sharer('one', 80, 'two'), sharer('two', 443, across)))).toHaveLength(2);
  });
});

describe('REQ-01 wishes that contradict each other', () => {
  const metallb = 'metallb.io/loadBalancerIPs';

  test.each<[string, Annotations, Annotations?]>([
    ['two spellings', { [metallb]: '192.0.2.10', 'metallb.universe.tf/loadBalancerIPs': '192.0.2.11' }],
    ['ours and a foreign one', { 'paas.org/addresses': '192.0.2.10', [metallb]: '192.0.2.11' }],
    ['the spec and a foreign one', { [metallb]: '192.0.2.11' }, { loadBalancerIP: '192.0.2.12' }],
    ['two load balancers', { [metallb]: '192.0.2.10', 'purelb.io/addresses': '192.0.2.11' }],
    ['two pools', { 'paas.org/ipgroup': 'g', 'purelb.io/service-group': 'named' }],
    ['two keys', { 'paas.org/sharing-key': 'k', 'metallb.io/allow-shared-ip': 'j' }],
  ])('are refused in one message that has every field: %s', (_title, annotations, spec = {}) => {
    const condition = conditionAfter(['metallb', 'purelb'], asking(annotations, { spec }));
    expect(condition).toMatchObject({ status: 'False', reason: 'RequestedAddressInvalid' });
    const fields = Object.entries(annotations).map(([key, text]) => [`metadata.annotations[${key}]`, text]);
    const told = [...fields, ...Object.entries(spec).map(([key, text]) => [`spec.${key}`, text])];
    for (const [field, text] of told) expect(condition?.message).toContain(`${String(field)} is "${String(text)}"`);
  });

  test('keep the address that the Service has', () => {
    const served = model('metallb').put(asking({ [metallb]: '192.0.2.10' }));
    served.put(asking({ [metallb]: '192.0.2.11', 'paas.org/addresses': '192.0.2.10' }));
    expect(served.ingress('a')).toEqual(['192.0.2.10']);
    expect(served.condition('a')?.status).toBe('False');
  });

  test('are one wish where only the spelling differs', () => {
    const annotations = { 'paas.org/addresses': '2001:DB8::A', 'purelb.io/addresses': '2001:db8:0::a' };
    const wish = readVipWish({ namespace: 'test', annotations }, ['purelb']);
    expect(wish).toMatchObject({ ok: true, sharingKey: '' });
    expect(wish.ok && wish.addresses.map(String)).toEqual(['2001:db8::a']);
  });
});

describe('a Service that has an address', () => {
  const gold = 'metallb.io/address-pool';
  const at = 'metallb.io/loadBalancerIPs';
  const served = (annotations: Annotations = {}, more: Partial<AskedService> = {}) => {
    const made = model();
    made.put(asking(annotations, more));
    return made;
  };
  const switchedOn = (made: VipsModel) => {
    made.foreign = ['metallb'];
    made.settle();
    return made;
  };

  test.each<[string, Annotations, string]>([
    ['pool', { [gold]: 'named' }, `${gold}] names IPGroup "named"`],
    ['pool without an IPGroup', { [gold]: 'later' }, `${gold}] names IPGroup "later"`],
    ['address', { [at]: '192.0.2.77' }, `${at}] asks for 192.0.2.77`],
    ['address of no group', { [at]: '203.0.113.1' }, `${at}] asks for 203.0.113.1`],
  ])('stays when an annotation is read that stood there before: %s', (_title, annotations, told) => {
    const made = switchedOn(served(annotations));
    expect(made.ingress('a')).toEqual(['192.0.2.0']);
    expect(made.holders()).toEqual({ '192.0.2.0': 'test/a' });
    expect(made.condition('a')).toMatchObject({ status: 'True', reason: 'Allocated' });
    expect(made.condition('a')?.message).toContain(told);
    const { writes } = made.stored('a');
    made.settle();
    expect(made.stored('a').writes).toBe(writes);
  });

  test('stays in both families, and is told once', () => {
    const spec = { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] };
    const made = served({}, { spec });
    made.groups = [...made.groups, groupObject('more', { segments: ['203.0.113.0/24', '2001:db8:1::/64'] })];
    made.put(asking({ 'paas.org/ipgroup': 'more' }, { spec }));
    const before = made.ingress('a');
    made.put(asking({ [gold]: 'named' }, { spec }));
    expect(switchedOn(made).ingress('a')).toEqual(before);
    expect(made.condition('a')?.message.match(/names IPGroup/gu)).toHaveLength(1);
  });

  test('stays while its status is empty, and where the record has another address that is asked for', () => {
    const made = served({ [gold]: 'named' });
    made.stored('a').shown = [];
    expect(switchedOn(made).ingress('a')).toEqual(['192.0.2.0']);
    const [entry] = made.record.values();
    if (entry === undefined) throw new RangeError('nothing is on record');
    made.record.set('198.51.100.3', { ...entry, group: 'named' });
    made.settle();
    expect([made.ingress('a'), Object.keys(made.holders())]).toEqual([['192.0.2.0'], ['192.0.2.0']]);
  });

  test('moves by our own annotations, beside which the other one says the same or is gone', () => {
    const made = switchedOn(served({ [gold]: 'named' }));
    made.put(asking({ [gold]: 'named', 'paas.org/ipgroup': 'named' }));
    expect([made.ingress('a'), made.condition('a')?.message]).toEqual([
      ['198.51.100.0'],
      '198.51.100.0 from IPGroup named',
    ]);
    made.put(asking({ [at]: '192.0.2.9', 'paas.org/addresses': '192.0.2.9' }));
    expect(made.ingress('a')).toEqual(['192.0.2.9']);
    made.put(asking({ 'paas.org/ipgroup': 'named' }));
    expect(made.ingress('a')).toEqual(['198.51.100.0']);
    made.put(asking({ [at]: '192.0.2.10', 'paas.org/ipgroup': 'g' }));
    expect(made.ingress('a')).toEqual(['192.0.2.10']);
  });

  test('gets what is asked for where it was made anew under its name', () => {
    const made = switchedOn(served({ [gold]: 'named' }));
    made.services.clear();
    made.put(asking({ [gold]: 'named' }, { uid: 'anew' }));
    expect([made.ingress('a'), Object.keys(made.holders())]).toEqual([['198.51.100.0'], ['198.51.100.0']]);
  });
});
