import { ipamOperatorProblems, type IpamOperatorProps, type MonitoringProps } from '../../../../../constructs';
import { listOf, mapOf } from '../../../../../operator/contract/loose-json';
import {
  containerOf,
  namesOf,
  one,
  podOf,
  rulesOf,
  settingsOf,
  synthesized,
  VIPS_ALONE,
  type Json,
} from '../../../../support/operator-objects';

const HOST = 'ipam-controller-manager-metrics-service.ipam-system.svc';
const SELF_MANAGED: Partial<IpamOperatorProps> = { certificates: 'self-managed' };
const secure = (
  monitoring: MonitoringProps = {},
  more: Partial<IpamOperatorProps> = {},
): Partial<IpamOperatorProps> => ({
  ...more,
  monitoring: { secure: {}, ...monitoring },
});
const servicePort = (objects: readonly Json[]): unknown =>
  mapOf(one(objects, 'Service', 'ipam-controller-manager-metrics-service')['spec'])['ports'];
const volumesOf = (objects: readonly Json[]): readonly unknown[] => listOf(podOf(objects)['volumes']);
const endpointOf = (objects: readonly Json[]): unknown =>
  listOf(mapOf(one(objects, 'ServiceMonitor')['spec'])['endpoints'])[0];

describe('monitoring.secure', () => {
  test('is off by default: HTTP at the port of the probes, without a right to review', () => {
    const objects = synthesized({ monitoring: { serviceMonitor: {} } });
    expect(settingsOf(objects).metricsBindAddress).toBeUndefined();
    expect(servicePort(objects)).toEqual([{ name: 'metrics', port: 8443, targetPort: 'health', protocol: 'TCP' }]);
    expect(endpointOf(objects)).toEqual({ port: 'metrics', path: '/metrics', interval: '30s', scheme: 'http' });
    expect(JSON.stringify(objects)).not.toMatch(/tokenreviews|ipam-metrics-/u);
  });

  test('EG-53 has a port of its own, to which Service and NetworkPolicy lead', () => {
    const objects = synthesized(secure({}, { ipamApi: { expose: {} } }));
    expect(settingsOf(objects).metricsBindAddress).toEqual({ host: '', port: 8443 });
    expect(listOf(containerOf(objects)['ports'])).toContainEqual({
      name: 'metrics',
      containerPort: 8443,
      protocol: 'TCP',
    });
    expect(servicePort(objects)).toEqual([{ name: 'metrics', port: 8443, targetPort: 'metrics', protocol: 'TCP' }]);
    const from = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }];
    expect(one(objects, 'NetworkPolicy')['spec']!['ingress']).toEqual([
      { ports: [{ protocol: 'TCP', port: 9443 }] },
      { ports: [{ protocol: 'TCP', port: 8081 }], from },
      { ports: [{ protocol: 'TCP', port: 9444 }] },
      { ports: [{ protocol: 'TCP', port: 8443 }], from },
    ]);
  });

  test('is closed where no namespace monitors', () => {
    const objects = synthesized(secure({}, { networkPolicy: { monitoringNamespaces: [] } }));
    expect(one(objects, 'NetworkPolicy')['spec']!['ingress']).toEqual([{ ports: [{ protocol: 'TCP', port: 9443 }] }]);
  });

  test('may ask about tokens and rights, and brings a role for readers that is bound to nothing', () => {
    const rules = rulesOf(secure());
    expect(rules['ClusterRole ipam-metrics-auth-role']).toEqual([
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ]);
    expect(rules['ClusterRole ipam-metrics-reader']).toEqual([{ nonResourceURLs: ['/metrics'], verbs: ['get'] }]);
    const bound = synthesized(secure()).filter(({ kind }) => String(kind) === 'ClusterRoleBinding');
    expect(bound.map(({ roleRef }) => roleRef!['name'])).not.toContain('ipam-metrics-reader');
  });
});

describe('the certificate of the metrics', () => {
  test.each([
    ['beside webhooks', {}, ['ipam-ca', 'ipam-metrics-cert', 'ipam-serving-cert']],
    ['without webhooks', VIPS_ALONE, ['ipam-ca', 'ipam-metrics-cert']],
  ] as const)('comes from cert-manager, %s', (_where, props, certificates) => {
    const objects = synthesized(secure({ serviceMonitor: {} }, props));
    expect([...namesOf(objects, 'Certificate')].toSorted()).toEqual(certificates);
    expect(one(objects, 'Certificate', 'ipam-metrics-cert')['spec']).toMatchObject({
      dnsNames: [HOST, `${HOST}.cluster.local`],
      secretName: 'ipam-metrics-server-cert',
    });
    expect(settingsOf(objects).metricsCertPath).toBe('/etc/ipam-metrics-cert');
    expect(volumesOf(objects)).toContainEqual({
      name: 'metrics-certificate',
      secret: { secretName: 'ipam-metrics-server-cert', defaultMode: 0o440 },
    });
    expect(endpointOf(objects)).toEqual({
      port: 'metrics',
      path: '/metrics',
      interval: '30s',
      scheme: 'https',
      tlsConfig: { serverName: HOST, ca: { secret: { name: 'ipam-metrics-server-cert', key: 'ca.crt' } } },
      bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
    });
  });

  test.each([
    ['beside webhooks', SELF_MANAGED, []],
    [
      'without webhooks',
      { ...VIPS_ALONE, ...SELF_MANAGED },
      [{ apiGroups: [''], resources: ['secrets'], verbs: ['create'] }],
    ],
  ] as const)('is that of the operator where it makes its own, %s', (_where, props, rights) => {
    const objects = synthesized(secure({ serviceMonitor: {} }, props));
    expect(namesOf(objects, 'Certificate')).toEqual([]);
    const { metricsCertPath, selfSignedSecret, selfSignedNames } = settingsOf(objects);
    expect([metricsCertPath, selfSignedSecret]).toEqual(['', 'ipam-self-signed']);
    expect(selfSignedNames).toContain(HOST);
    expect(endpointOf(objects)).toMatchObject({
      tlsConfig: { ca: { secret: { name: 'ipam-self-signed', key: 'ca.crt' } } },
    });
    const rules = rulesOf(secure({}, props));
    expect(rules['Role ipam-metrics-auth-role'] ?? []).toEqual(rights);
    const replaced = {
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: ['ipam-self-signed'],
      verbs: ['get', 'update'],
    };
    expect(rules['Role ipam-manager-role']?.filter((rule) => JSON.stringify(rule).includes('self-signed'))).toEqual([
      replaced,
    ]);
  });

  test('is one of your own, and then no other one is made', () => {
    const monitoring = { secure: { certificateSecret: 'mine' }, serviceMonitor: { token: { name: 'scraper' } } };
    const objects = synthesized({ ...VIPS_ALONE, monitoring });
    expect(namesOf(objects, 'Certificate')).toEqual([]);
    expect(volumesOf(objects)).toContainEqual({
      name: 'metrics-certificate',
      secret: { secretName: 'mine', defaultMode: 0o440 },
    });
    expect(endpointOf(objects)).toMatchObject({
      tlsConfig: { ca: { secret: { name: 'mine', key: 'ca.crt' } } },
      authorization: { type: 'Bearer', credentials: { name: 'scraper', key: 'token' } },
    });
    expect(endpointOf(objects)).not.toHaveProperty('bearerTokenFile');
  });
});

test.each([
  [
    'a token that nothing asks for',
    { serviceMonitor: { token: { name: 'scraper' } } },
    'monitoring.serviceMonitor.token: has no effect without monitoring.secure, which asks for a token; leave one of the two out',
  ],
  [
    'a certificate in place of its Secret',
    { secure: { certificateSecret: '-----BEGIN' } },
    'monitoring.secure.certificateSecret: give the name of a Secret (a-z, 0-9, - and ., at most 253 characters); what it holds belongs into the Secret',
  ],
])('refuses %s', (_what, monitoring, message) => {
  const problems = ipamOperatorProblems({ ...VIPS_ALONE, monitoring });
  expect(problems.map((problem) => problem.message)).toEqual([message]);
});
