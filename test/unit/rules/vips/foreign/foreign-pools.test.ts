import type { ForeignLoadBalancer } from '../../../../../operator/contract/foreign-load-balancers';
import { ipGroupProblems } from '../../../../../operator/contract/kinds/ip-group';
import { importForeign } from '../../../../../operator/rules/vips/foreign/import-foreign';
import { MANIFESTS, objectsOf } from '../../../../support/foreign-samples';

const now = '2026-02-01T00:00:00.000Z';
const read = (from: ForeignLoadBalancer, text: string) => importForeign(objectsOf(text), { from, now });
const pool = (spec: string, name = 'p') => `
apiVersion: metallb.io/v1beta1
kind: IPAddressPool
metadata: { name: ${name}, namespace: metallb-system }
spec: ${spec}
`;
const NAME = 'kubernetes.io/metadata.name';
const named = (...values: string[]) => ({ matchExpressions: [{ key: NAME, operator: 'In', values }] });

type Specs = Readonly<Record<string, unknown>>;

/** Specs of the IPGroups, by name. */
function specsOf(groups: ReturnType<typeof read>['groups']): Specs {
  for (const each of groups) expect(ipGroupProblems(each)).toEqual([]);
  const all = groups as readonly { metadata: { name: string }; spec: unknown }[];
  return Object.fromEntries(all.map(({ metadata, spec }) => [metadata.name, spec]));
}

/** Specs that the pools of the documentation become. */
const EXPECTED: Readonly<Record<ForeignLoadBalancer, Specs>> = {
  metallb: {
    'first-pool': {
      segment: '192.168.9.1/32',
      segments: ['192.168.9.2/31', '192.168.9.4/31', '192.168.10.0/24', 'fc00:f853:ccd:e799::/124'],
    },
    expensive: { segment: '42.176.25.64/30', explicitOnly: true },
    'ip-pool-from-provider': {
      segment: '42.175.0.0/23',
      excludedIPs: ['42.175.0.0', '42.175.0.255-42.175.1.0', '42.175.1.255'],
    },
    'ippool-ns-service-alloc-sample': {
      segment: '192.168.20.0/24',
      priority: 951,
      namespaces: named('namespace-a', 'namespace-b'),
      services: { matchExpressions: [{ key: 'app', operator: 'In', values: ['bar'] }] },
    },
  },
  cilium: {
    'blue-pool': {
      segment: '1.2.3.4/32',
      segments: [
        ...['10.0.10.0/24', '20.0.20.100/30', '20.0.20.104/29', '20.0.20.112/28', '20.0.20.128/26'],
        ...['20.0.20.192/29', '20.0.20.200/32', '2004::/64'],
      ],
    },
    'red-pool': {
      segment: '20.0.10.0/24',
      segments: ['20.0.11.7/32'],
      excludedIPs: ['20.0.10.0', '20.0.10.255'],
      priority: 1,
      namespaces: named('one', 'two'),
      services: { matchLabels: { color: 'red' } },
    },
    'old-pool': { segment: '30.0.10.0/24', excludedIPs: ['30.0.10.0', '30.0.10.255'], draining: true },
  },
  purelb: {
    default: {
      segment: '192.168.254.230/31',
      segments: ['192.168.254.232/29', '192.168.254.240/32', 'fd53:9ef0:8683::/126'],
    },
    tenant: { segment: '172.30.200.128/25', priority: 2, namespaces: named('tenant-a', 'tenant-b') },
    virtualsg: { segment: '172.30.250.80/28', explicitOnly: true },
  },
  'kube-vip': {
    'kube-vip-development': {
      segment: '192.168.0.210/31',
      segments: ['192.168.0.212/30', '192.168.0.216/30'],
      namespaces: named('development'),
      priority: 1,
    },
    'kube-vip-finance': {
      segment: '10.0.0.0/29',
      excludedIPs: ['10.0.0.0', '10.0.0.7'],
      namespaces: named('finance'),
      priority: 1,
    },
    'kube-vip-global': {
      segment: '192.168.0.0/25',
      segments: [
        ...['192.168.0.128/26', '192.168.0.192/28', '192.168.0.208/31', '192.168.0.220/30', '192.168.0.224/27'],
        '2001:db8::/120',
      ],
      excludedIPs: ['192.168.0.0', '192.168.0.255', '2001:db8::', '2001:db8::ff'],
      namespaces: { matchExpressions: [{ key: NAME, operator: 'NotIn', values: ['development', 'finance'] }] },
      priority: 0,
    },
  },
  openelb: {
    'eip-sample-pool': {
      segment: '192.168.0.91/32',
      segments: ['192.168.0.92/30', '192.168.0.96/30', '192.168.0.100/32'],
    },
    project: { segment: '172.31.73.130/32', priority: 901, namespaces: named('project') },
    'bgp-eip': { segment: '10.7.0.0/28', explicitOnly: true, draining: true },
  },
};

/** Notes beside them. */
const TOLD: Readonly<Record<ForeignLoadBalancer, readonly string[]>> = {
  metallb: [],
  cilium: ['CiliumLoadBalancerIPPool old-pool: allowFirstLastIPs is absent'],
  purelb: [],
  'kube-vip': [
    'ConfigMap kube-system/kubevip (global): 192.168.0.210-192.168.0.219 belongs to another pool too, and goes to that IPGroup',
  ],
  openelb: ['Eip project: Services of every namespace could name it'],
};

const SYSTEMS = Object.keys(EXPECTED) as readonly ForeignLoadBalancer[];

test.each(SYSTEMS)('the pools of the documentation of %s become IPGroups', (from) => {
  const { groups, ips, notes } = read(from, MANIFESTS[from]);
  expect(specsOf(groups)).toEqual(EXPECTED[from]);
  expect(ips).toEqual([]);
  expect(notes).toEqual(TOLD[from].map((text) => expect.stringContaining(text) as string));
});

test.each(SYSTEMS)('objects of others are no pools of %s', (from) => {
  for (const other of SYSTEMS.filter((each) => each !== from)) expect(read(from, MANIFESTS[other]).groups).toEqual([]);
});

describe('metallb', () => {
  const specOf = (spec: string) => specsOf(read('metallb', pool(spec)).groups)['p'];

  test.each<[string, string, object]>([
    [
      'two selectors of the same label',
      '{ namespaceSelectors: [{ matchLabels: { a: x } }, { matchLabels: { a: y } }] }',
      {
        priority: 1,
        namespaces: { matchExpressions: [{ key: 'a', operator: 'In', values: ['x', 'y'] }] },
      },
    ],
    [
      'names and the label of a name',
      `{ namespaces: [x], namespaceSelectors: [{ matchLabels: { ${NAME}: y } }] }`,
      {
        priority: 1,
        namespaces: named('x', 'y'),
      },
    ],
    ['the first priority', '{ priority: 1 }', { priority: 1000 }],
    ['priority 0, which is the last one', '{ priority: 0 }', { priority: 1 }],
  ])('serviceAllocation with %s is kept', (_title, allocation, expected) => {
    const spec = `{ addresses: [10.0.0.0/24], serviceAllocation: ${allocation} }`;
    expect(specOf(spec)).toEqual({ segment: '10.0.0.0/24', ...expected });
    expect(read('metallb', pool(spec)).notes).toEqual([]);
  });

  test.each<[string, object, string]>([
    [
      '{ namespaceSelectors: [{ matchLabels: { a: x } }, { matchLabels: { b: y } }] }',
      { priority: 1, namespaces: { matchLabels: { a: 'x' } } },
      'serviceAllocation.namespaceSelectors: an IPGroup has one selector',
    ],
    ['{ priority: 5000 }', { priority: 2 }, 'priority 5000'],
  ])('serviceAllocation %s is not kept as it is, and that is told', (allocation, expected, told) => {
    const spec = `{ addresses: [10.0.0.0/24], serviceAllocation: ${allocation} }`;
    expect(specOf(spec)).toEqual({ segment: '10.0.0.0/24', ...expected });
    expect(read('metallb', pool(spec)).notes).toEqual([expect.stringContaining(told)]);
  });

  test('many single addresses are one prefix with exclusions, unless another pool lies in it', () => {
    const texts = Array.from({ length: 40 }, (_, index) => `10.0.0.${String(4 * index + 1)}/32`);
    const many = pool(`{ addresses: [${texts.join(', ')}] }`);
    const spec = specsOf(read('metallb', many).groups)['p'] as { segment: string; excludedIPs: readonly string[] };
    expect([spec.segment, spec.excludedIPs[0], spec.excludedIPs.length]).toEqual(['10.0.0.0/24', '10.0.0.0', 41]);
    const beside = `${many}---${pool('{ addresses: [10.0.0.2/32] }', 'q')}`;
    const { groups, notes } = read('metallb', beside);
    expect(Object.keys(specsOf(groups))).toEqual(['q']);
    expect(notes).toEqual([
      expect.stringContaining('IPAddressPool metallb-system/p: it is made of more than 33 prefixes'),
    ]);
  });

  test('addresses that end in .0 and .255 of a whole /8 are too many to exclude', () => {
    const { groups, notes } = read('metallb', pool('{ addresses: [10.0.0.0/8], avoidBuggyIPs: true }'));
    expect(specsOf(groups)).toEqual({ p: { segment: '10.0.0.0/8' } });
    expect(notes).toEqual([expect.stringContaining('avoidBuggyIPs')]);
  });

  test('an entry that cannot be read is told, and a pool without any other makes no group', () => {
    const { groups, notes } = read('metallb', pool('{ addresses: [foo] }'));
    expect(groups).toEqual([]);
    expect(notes).toEqual([expect.stringContaining('foo'), expect.stringContaining('no IPGroup of it')]);
  });

  test('pools of one name in two namespaces become groups of two names', () => {
    const two = pool('{ addresses: [10.0.0.0/24] }') + '---' + pool('{ addresses: [10.0.1.0/24] }');
    expect(Object.keys(specsOf(read('metallb', two).groups))).toEqual(['p', 'p-2']);
  });
});

describe('what has no counterpart', () => {
  test.each<[ForeignLoadBalancer, string, string]>([
    [
      'purelb',
      '{ apiVersion: purelb.io/v1, kind: ServiceGroup, metadata: { name: netboxsg, namespace: purelb }, spec: { netbox: { url: "http://netbox" } } }',
      'ServiceGroup purelb/netboxsg: spec.netbox',
    ],
    [
      'kube-vip',
      '{ apiVersion: v1, kind: ConfigMap, metadata: { name: kubevip, namespace: kube-system }, data: { cidr-global: 0.0.0.0/32 } }',
      'DHCP',
    ],
  ])('is told: %s, %s', (from, text, told) => {
    const { groups, notes } = read(from, text);
    expect(groups).toEqual([]);
    expect(notes.join()).toContain(told);
  });

  test('a Service that Cilium selects by its name is told', () => {
    const selector = '{ matchLabels: { io.kubernetes.service.name: web } }';
    const text = `{ apiVersion: cilium.io/v2, kind: CiliumLoadBalancerIPPool, metadata: { name: p }, spec: { blocks: [{ cidr: 10.0.0.0/24 }], serviceSelector: ${selector} } }`;
    expect(read('cilium', text).notes).toEqual([expect.stringContaining('io.kubernetes.service.name is no label')]);
  });

  test('kube-vip: the order and the sharing of its ConfigMap are told', () => {
    const data = '{ cidr-global: 10.0.0.0/24, search-order: desc, allow-share-global: "true" }';
    const text = `{ apiVersion: v1, kind: ConfigMap, metadata: { name: kubevip, namespace: kube-system }, data: ${data} }`;
    const { notes } = read('kube-vip', text);
    expect(notes).toEqual([
      expect.stringContaining('search-order desc'),
      expect.stringContaining('allow-share-global'),
    ]);
  });
});
