import { Chart, Testing } from 'cdk8s';

import { IpGroup, VipService, vipServiceProblems, type VipServiceProps } from '../../../../constructs';

const ports = [{ port: 443 }];
const WEB = { spec: { segment: '192.0.2.0/24', excludedIPs: ['192.0.2.0-192.0.2.9'] } };

function chartOf(
  services: Readonly<Record<string, Partial<VipServiceProps>>>,
  groups: readonly string[] = ['web'],
): Chart {
  const chart = new Chart(Testing.app(), 'chart', { namespace: 'shop' });
  if (groups.includes('web')) new IpGroup(chart, 'web', WEB);
  if (groups.includes('six')) new IpGroup(chart, 'six', { spec: { segment: '2001:db8::/64' }, cluster: 'b' });
  for (const [id, props] of Object.entries(services)) new VipService(chart, id, { ports, ...props });
  return chart;
}
const problems = (...args: Parameters<typeof chartOf>): readonly string[] =>
  chartOf(...args)
    .node.findAll()
    .flatMap(({ node }) => node.validate());

describe('VipService', () => {
  test('is a Service of the class of the door that asks by annotations', () => {
    const chart = chartOf(
      {
        front: {
          group: 'web',
          addresses: ['192.0.2.10', '2001:db8::1'],
          sharingKey: 'edge',
          selector: { app: 'front' },
          ipFamilyPolicy: 'RequireDualStack',
          externalTrafficPolicy: 'Local',
          annotations: { note: 'x' },
        },
      },
      [],
    );
    expect(Testing.synth(chart)).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: {
          name: 'front',
          namespace: 'shop',
          annotations: {
            note: 'x',
            'paas.org/addresses': '192.0.2.10,2001:db8::1',
            'paas.org/ipgroup': 'web',
            'paas.org/sharing-key': 'edge',
          },
        },
        spec: {
          type: 'LoadBalancer',
          loadBalancerClass: 'paas.org/vip',
          ports: [{ port: 443, protocol: 'TCP' }],
          selector: { app: 'front' },
          ipFamilyPolicy: 'RequireDualStack',
          externalTrafficPolicy: 'Local',
        },
      },
    ]);
  });

  test.each(['WebService', 'shop_web', 'web.shop', 'a'.repeat(64)])(
    'FU-64 without a name, the id %j is refused as one, and a name mends it',
    (id) => {
      expect(problems({ [id]: {} })).toEqual([
        `name: "${id}" is not allowed; allowed is a DNS label (a-z, 0-9 and -, at most 63 characters). It is the id of the construct; give the prop name`,
      ]);
      expect(problems({ [id]: { name: '3scale' } })).toEqual([]);
    },
  );

  test('has no class where the operator serves those without one', () => {
    const [service] = Testing.synth(chartOf({ front: { classless: true } }, [])) as [{ spec: object }];
    expect(service.spec).toEqual({ type: 'LoadBalancer', ports: [{ port: 443, protocol: 'TCP' }] });
  });

  test.each<readonly [string, Partial<VipServiceProps>, string]>([
    [
      'an address in no group',
      { addresses: ['198.51.100.1'] },
      'addresses: "198.51.100.1" lies in no segment of IPGroup web',
    ],
    ['an excluded address', { addresses: ['192.0.2.5'] }, 'addresses: "192.0.2.5" is excluded by IPGroup web'],
    ['a group that is not there', { group: 'wen' }, 'group: no IpGroup of the app is named "wen"; they are web'],
    ['a second class', { classless: true, loadBalancerClass: 'a/b' }, 'loadBalancerClass: has no use beside classless'],
    [
      'a wish in two places',
      { annotations: { 'paas.org/ipgroup': 'web' } },
      'annotations["paas.org/ipgroup"]: is written by',
    ],
    ['a port that is none', { ports: [{ port: 0 }] }, 'ports[0].port: 0 is not a port'],
  ])('fails at synth for %s', (_what, props, message) => {
    expect(problems({ front: props })).toEqual([expect.stringContaining(message) as unknown]);
  });

  test('fails at synth for what is no address', () => {
    expect(problems({ front: { addresses: ['192.0.2.300'] } }).join()).toContain('192.0.2.300');
    expect(vipServiceProblems({ ports, addresses: ['192.0.2.300'] })).toHaveLength(1);
    expect(vipServiceProblems({ ports, addresses: ['192.0.2.10'] })).toEqual([]);
  });

  test('leaves the answer to the operator where the groups of the cluster are declared elsewhere', () => {
    expect(problems({ front: { addresses: ['198.51.100.1'], group: 'any' } }, [])).toEqual([]);
    expect(problems({ front: { addresses: ['198.51.100.1'], cluster: 'a' } }, ['six'])).toEqual([]);
  });

  test('fails at synth for one address of two Services, unless they share it by a key or are of two clusters', () => {
    const addresses = ['192.0.2.10'];
    expect(problems({ one: { addresses }, two: { addresses } })).toEqual([
      'addresses: "192.0.2.10" is asked for at [chart/one] too; give both one sharingKey, or another address',
    ]);
    const sharingKey = 'edge';
    expect(problems({ one: { addresses, sharingKey }, two: { addresses, sharingKey } })).toEqual([]);
    expect(problems({ one: { addresses, cluster: 'a' }, two: { addresses, cluster: 'b' } })).toEqual([]);
  });
});
