import { networksOf, shownByInfrastructure } from '../../../operator/contract/platform-networks';
import { NODE_HOST_CIDRS, shownByNode } from '../../../operator/contract/shown-addresses';

const texts = (kind: Parameters<typeof networksOf>[0], object: Parameters<typeof networksOf>[1]) =>
  networksOf(kind, { metadata: { name: 'x' }, ...object }).map(
    ({ prefix, source }) => `${prefix.toString()} ${source}`,
  );

describe('networks of a cluster', () => {
  test('are told by Nodes, ServiceCIDRs and the Network of OpenShift', () => {
    expect(texts('Node', { spec: { podCIDRs: ['10.244.1.0/24', 'fd00:1::/64'] } })).toEqual([
      '10.244.1.0/24 Node/x',
      'fd00:1::/64 Node/x',
    ]);
    expect(texts('ServiceCIDR', { spec: { cidrs: ['10.96.0.0/12', 'garbage'] } })).toEqual([
      '10.96.0.0/12 ServiceCIDR/x',
    ]);
    const part = { clusterNetwork: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }], serviceNetwork: ['172.30.0.0/16'] };
    expect(texts('Network', { spec: part, status: part })).toEqual([
      '10.128.0.0/14 Network/x',
      '172.30.0.0/16 Network/x',
    ]);
    expect(texts('Node', {})).toEqual([]);
  });
});

describe('addresses of a platform', () => {
  const shown = (platformStatus: object) =>
    shownByInfrastructure({ metadata: { name: 'cluster' }, status: { platformStatus } }).map(
      ({ source, addresses }) => `${source} ${addresses.join()}`,
    );

  test('EG-22 W-28 are those of API server and ingress, in new and old fields, each once', () => {
    const bareMetal = { apiServerInternalIPs: ['10.0.0.5', 'fd00::5'], ingressIPs: ['10.0.0.6'] };
    expect(shown({ type: 'BareMetal', baremetal: bareMetal })).toEqual([
      'Infrastructure/cluster 10.0.0.5,fd00::5,10.0.0.6',
    ]);
    const old = { apiServerInternalIP: '10.0.0.5', ingressIP: '10.0.0.6' };
    expect(shown({ type: 'VSphere', vsphere: { ...old, apiServerInternalIPs: ['10.0.0.5'] } })).toEqual([
      'Infrastructure/cluster 10.0.0.5,10.0.0.6',
    ]);
    expect(shown({ type: 'AWS', aws: { region: 'eu' } })).toEqual([]);
    expect(shownByInfrastructure({})).toEqual([]);
  });

  test.each([
    ['["10.0.0.7/24","fd00::7/64"]', '10.0.0.1,10.0.0.7,fd00::7'],
    ['["10.0.0.1/24"]', '10.0.0.1'],
    ['garbage', '10.0.0.1'],
  ])('EG-22 %s of a Node are its addresses too', (text, all) => {
    const node = {
      metadata: { name: 'n', annotations: { [NODE_HOST_CIDRS]: text } },
      status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
    };
    expect(shownByNode(node).map(({ addresses }) => addresses.join())).toEqual([all]);
  });
});
