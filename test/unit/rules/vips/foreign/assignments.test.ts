import { ipProblems } from '../../../../../operator/contract/kinds/ip';
import { ipCodec } from '../../../../../operator/backends/claim-objects/ip-codec';
import { metadataOf, type JsonMap } from '../../../../../operator/contract/loose-json';
import type { AddressRecord } from '../../../../../operator/ports/claims';
import { importForeign } from '../../../../../operator/rules/vips/foreign/import-foreign';
import { showing } from '../../../../support/foreign-samples';

const now = '2026-02-01T00:00:00.000Z';
const pool = {
  apiVersion: 'metallb.io/v1beta1',
  kind: 'IPAddressPool',
  metadata: { name: 'web', namespace: 'metallb-system' },
  spec: { addresses: ['192.0.2.0/24', '2001:db8::/64'] },
};
const read = (...objects: readonly object[]) => importForeign([pool, ...objects], { from: 'metallb', now });

/** An IP as the store of the door reads it. */
const recordOf = (ip: JsonMap = {}): AddressRecord | undefined =>
  ipCodec().read({ ...ip, metadata: { ...metadataOf(ip), uid: 'u', resourceVersion: '1' } });

/** Names of the holders of each IP, as the store of the door reads them. */
const holdersOf = (ips: ReturnType<typeof read>['ips']) =>
  Object.fromEntries(
    ips.map((ip): [string, readonly string[] | undefined] => {
      expect(ipProblems(ip)).toEqual([]);
      const record = recordOf(ip);
      return [record?.address.toString() ?? '', record?.holders.map(({ owner }) => `${owner.namespace}/${owner.name}`)];
    }),
  );

describe('what Services show', () => {
  test('becomes the IPs that the door would have written', () => {
    const { ips, notes, classes } = read(showing('web', ['192.0.2.7', '2001:db8::7']));
    expect(notes).toEqual([]);
    expect(classes).toEqual([]);
    const owner = { apiVersion: 'v1', kind: 'Service', namespace: 'shop', name: 'web', uid: 'uid-web' };
    const { apiVersion: _version, ...named } = owner;
    expect(ips).toEqual(
      [
        ['192.0.2.7', '192.0.2.7'],
        ['2001-0db8-0000-0000-0000-0000-0000-0007', '2001:db8::7'],
      ].map(([name, address]) => ({
        apiVersion: 'paas.org/v1',
        kind: 'IP',
        metadata: { name, labels: { ipgroup: 'web' }, annotations: { 'virtualips.paas.il/owner': 'shop/web' } },
        spec: {
          address,
          ipGroup: 'web',
          owner: named,
          state: 'bound',
          holders: [{ id: 'uid-web', since: '2026-01-01T00:00:00Z', ...owner }],
        },
      })),
    );
    expect(holdersOf(ips)).toEqual({ '192.0.2.7': ['shop/web'], '2001:db8::7': ['shop/web'] });
  });

  test('is shared by those that share it, the oldest first, with the terms that the door compares', () => {
    const shared = (name: string, created: string, port: number) =>
      showing(name, ['192.0.2.53'], {
        annotations: { 'metallb.universe.tf/allow-shared-ip': 'dns' },
        created,
        ports: [{ port }],
      });
    const { ips, notes } = read(shared('b', '2026-01-02T00:00:00Z', 80), shared('a', '2026-01-01T00:00:00Z', 53));
    expect(notes).toEqual([]);
    expect(holdersOf(ips)).toEqual({ '192.0.2.53': ['shop/a', 'shop/b'] });
    const [first] = recordOf(ips[0])?.holders ?? [];
    expect(first?.sharing).toEqual({ key: 'dns', ports: ['53/TCP'], trafficPolicy: 'Cluster', selector: '' });
  });

  test('is kept by those that may not share here, and that is told', () => {
    const { ips, notes } = read(showing('a', ['192.0.2.1']), showing('b', ['192.0.2.1'], { namespace: 'other' }));
    expect(holdersOf(ips)).toEqual({ '192.0.2.1': ['other/b', 'shop/a'] });
    expect(notes).toEqual([
      expect.stringMatching(/^192\.0\.2\.1: shop\/a keeps it, and its condition will be False: /u),
    ]);
  });

  test('is told where no pool has it, where it is a host name, and where the object has no UID', () => {
    const unknown = { ...showing('c', ['192.0.2.3']), metadata: { name: 'c', namespace: 'shop' } };
    const named = showing('d', []);
    const hosted = { ...named, status: { loadBalancer: { ingress: [{ hostname: 'lb.example' }] } } };
    const { ips, notes } = read(showing('a', ['198.51.100.1']), unknown, hosted);
    expect(ips).toEqual([]);
    expect(notes).toEqual([
      'Service shop/a: it shows 198.51.100.1, which lies in no pool',
      'Service shop/d: it shows lb.example, which is no address',
      expect.stringContaining('Service shop/c: it shows 192.0.2.3, and has no metadata.uid'),
    ]);
  });

  test('is told where a Service shows more than it can keep', () => {
    const { ips, notes } = read(showing('a', ['192.0.2.1', '192.0.2.2', '2001:db8::1']));
    expect(ips).toHaveLength(3);
    expect(notes).toEqual([
      'Service shop/a: it shows 192.0.2.1, 192.0.2.2, 2001:db8::1, and keeps one address of each family here; make a Service for each before the door is on',
    ]);
  });

  test.each<[string, object, string | undefined]>([
    [
      'another pool',
      { 'metallb.io/address-pool': 'gold' },
      '[metallb.io/address-pool] asks for IPGroup "gold": it keeps',
    ],
    ['another address', { 'metallb.universe.tf/loadBalancerIPs': '192.0.2.9' }, 'asks for 192.0.2.9: it keeps'],
    ['our own wish', { 'paas.org/addresses': '192.0.2.9' }, 'asks for 192.0.2.9 (spec.loadBalancerIP or'],
    [
      'our own group',
      { 'paas.org/ipgroup': 'gold' },
      'asks for IPGroup "gold" (metadata.annotations[paas.org/ipgroup]): it moves',
    ],
    [
      'no address',
      { 'metallb.io/loadBalancerIPs': 'foo' },
      'keeps it, and its condition will be False: metadata.annot',
    ],
    ['its own pool', { 'metallb.io/address-pool': 'web' }, undefined],
    [
      'its own address',
      { 'metallb.io/loadBalancerIPs': '2001:db8::9,192.0.2.7', 'metallb.io/address-pool': 'gold' },
      undefined,
    ],
  ])('is told where it is not what the Service asks for: %s', (_title, annotations, told) => {
    const { ips, notes } = read(showing('a', ['192.0.2.7'], { annotations }));
    expect(holdersOf(ips)).toEqual({ '192.0.2.7': ['shop/a'] });
    const start = 'Service shop/a: it shows 192.0.2.7 of IPGroup web, ';
    expect(notes.map((note) => note.startsWith(start))).toEqual(told === undefined ? [] : [true]);
    expect(notes.join()).toContain(told ?? '');
  });

  test('is told where the space of its pool goes to the IPGroup of another one', () => {
    const second = { ...pool, metadata: { ...pool.metadata, name: 'gold' } };
    const { notes } = read(second, showing('a', ['192.0.2.7'], { annotations: { 'metallb.io/address-pool': 'gold' } }));
    expect(notes.at(-1)).toContain('Service shop/a: it shows 192.0.2.7 of IPGroup web, and metadata.annotations[');
  });

  test.each(['cdk8s-ipam', 'ipam-operator'])(
    'stays with the Services door where %s wrote the pool of a zone',
    (manager) => {
      const labels = { 'app.kubernetes.io/managed-by': manager };
      const zone = {
        ...pool,
        metadata: { ...pool.metadata, name: 'inet', labels },
        spec: { addresses: ['198.51.100.0/24'] },
      };
      const { groups, ips, notes } = read(zone, showing('a', ['192.0.2.7']), showing('zoned', ['198.51.100.7']));
      expect(groups.map(({ metadata }) => metadata)).toEqual([{ name: 'web' }]);
      expect(holdersOf(ips)).toEqual({ '192.0.2.7': ['shop/a'] });
      expect(notes).toEqual([
        'IPAddressPool metallb-system/inet: it is the pool of a zone of this operator, and stays with its Services at the Services door',
      ]);
    },
  );

  test('is taken over from a pool that another tool manages', () => {
    const helm = { ...pool, metadata: { ...pool.metadata, labels: { 'app.kubernetes.io/managed-by': 'Helm' } } };
    expect(importForeign([helm, showing('a', ['192.0.2.7'])], { from: 'metallb', now })).toMatchObject({
      ips: [{ spec: { address: '192.0.2.7' } }],
      notes: [],
    });
  });

  test('is taken over from a Service of a class, whose class is told', () => {
    const { ips, classes } = read(showing('a', ['192.0.2.1'], { loadBalancerClass: 'metallb.io/own' }));
    expect([ips.length, classes]).toEqual([1, ['metallb.io/own']]);
  });

  test('counts of Services of type LoadBalancer alone, also out of typed lists whose items have no kind', () => {
    const { kind: _kind, apiVersion: _version, ...item } = showing('a', ['192.0.2.1']);
    const list = { apiVersion: 'v1', kind: 'ServiceList', items: [item, { ...item, spec: { type: 'ClusterIP' } }] };
    const { ips } = importForeign([{ kind: 'List', apiVersion: 'v1', items: [pool, list] }], { from: 'metallb', now });
    expect(holdersOf(ips)).toEqual({ '192.0.2.1': ['shop/a'] });
  });
});
