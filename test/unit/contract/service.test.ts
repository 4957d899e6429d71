import { readService } from '../../../operator/contract/service';

describe('readService', () => {
  test('reads what the doors look at', () => {
    const view = readService({
      metadata: { name: 'web', namespace: 'a', uid: 'u', annotations: { k: 'v' } },
      spec: {
        type: 'LoadBalancer',
        loadBalancerClass: 'c',
        loadBalancerIP: '192.0.2.1',
        ipFamilies: ['IPv6', 'IPv4'],
        ipFamilyPolicy: 'PreferDualStack',
        clusterIPs: ['fd00::1', '10.96.0.1'],
        ports: [{ port: 53, protocol: 'UDP' }, { port: 80 }],
        externalTrafficPolicy: 'Local',
        selector: { b: '2', a: '1' },
      },
    });

    expect(view).toEqual({
      namespace: 'a',
      name: 'web',
      generateName: '',
      uid: 'u',
      dying: false,
      hasAnnotations: true,
      annotations: { k: 'v' },
      type: 'LoadBalancer',
      loadBalancerClass: 'c',
      loadBalancerIP: '192.0.2.1',
      ipFamilies: [6, 4],
      ipFamilyPolicy: 'PreferDualStack',
      clusterIpFamilies: [6, 4],
      ports: ['53/UDP', '80/TCP'],
      trafficPolicy: 'Local',
      selector: 'a=1,b=2',
    });
  });

  test.each([[null], ['x'], [[]], [{}], [{ metadata: null }]])('says nothing of %p', (value) => {
    expect(readService(value)).toBeUndefined();
  });

  test('counts what has the wrong type as absent', () => {
    const view = readService({
      metadata: { name: 7, annotations: { a: 1, b: 'x' } },
      spec: { type: null, ports: null, ipFamilies: 'IPv4', ipFamilyPolicy: 'Both', clusterIP: 'None', selector: [] },
    });

    expect(view).toMatchObject({
      name: '',
      annotations: { b: 'x' },
      type: '',
      ports: [],
      ipFamilies: [],
      clusterIpFamilies: [],
    });
    expect(view).not.toHaveProperty('ipFamilyPolicy');
  });

  test('survives a null spec and null annotations', () => {
    expect(readService({ metadata: { annotations: null }, spec: null })).toMatchObject({
      hasAnnotations: false,
      annotations: {},
    });
  });
});
