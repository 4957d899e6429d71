import { ipamOperatorProblems, type IpamOperatorProps } from '../../../../../constructs';
import { networksGrpcAlerts } from '../../../../../constructs/operator/networks-grpc/networks-grpc-alerts';
import { listOf, mapOf } from '../../../../../operator/contract/loose-json';
import { containerOf, namesOf, one, settingsOf, synthesized } from '../../../../support/operator-objects';

const ALONE: Partial<IpamOperatorProps> = { zones: [], services: { enabled: false } };
const of = (grpc: NonNullable<IpamOperatorProps['networks']>['grpc']): Partial<IpamOperatorProps> => ({
  ...ALONE,
  networks: { enabled: true, ...(grpc === undefined ? {} : { grpc }) },
});
const messagesOf = (props: Partial<IpamOperatorProps>): readonly string[] =>
  ipamOperatorProblems({ zones: [], ...props }).map(({ message }) => message);

describe('networks.grpc', () => {
  test('is off by default, and then needs no certificate, right or Service', () => {
    const objects = synthesized(of(undefined));
    expect(settingsOf(objects).networksGrpcBindAddress).toBeUndefined();
    expect(namesOf(objects, 'Service')).not.toContain('ipam-networks-grpc');
    expect(namesOf(objects, 'Certificate')).toEqual([]);
    expect(JSON.stringify(objects)).not.toContain('tokenreviews');
  });

  test('listens with a certificate by the CA of the operator, and knows the address of its Pod', () => {
    const objects = synthesized(of({}));
    expect(settingsOf(objects)).toMatchObject({
      networksGrpcBindAddress: { host: '', port: 9999 },
      networksGrpcAnonymous: false,
      networksGrpcTls: true,
      networksGrpcCertPath: '/etc/ipam-networks-grpc-cert',
    });
    expect(listOf(containerOf(objects)['env'])).toEqual([
      { name: 'IPAM_NETWORKS_GRPC_POD_IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } },
    ]);
    expect(listOf(containerOf(objects)['ports'])).toContainEqual({
      name: 'grpc',
      containerPort: 9999,
      protocol: 'TCP',
    });
    const host = 'ipam-networks-grpc.ipam-system.svc';
    expect(one(objects, 'Certificate', 'ipam-networks-grpc-cert')).toMatchObject({
      spec: { dnsNames: [host, `${host}.cluster.local`], secretName: 'ipam-networks-grpc-server-cert' },
    });
  });

  test('has a Service without a selector, to which the Pod that leads puts its address', () => {
    const { spec } = one(synthesized(of({})), 'Service', 'ipam-networks-grpc') as { readonly spec?: unknown };
    expect(mapOf(spec)['selector']).toBeUndefined();
    expect(mapOf(spec)['ports']).toEqual([{ name: 'grpc', port: 9999, protocol: 'TCP' }]);
  });

  test('may ask about tokens and rights, and write its slices alone', () => {
    const objects = synthesized(of({}));
    expect(one(objects, 'ClusterRole', 'ipam-networks-grpc-role')).toMatchObject({
      rules: [
        { resources: ['tokenreviews'], verbs: ['create'] },
        { resources: ['subjectaccessreviews'], verbs: ['create'] },
      ],
    });
    expect(one(objects, 'Role', 'ipam-networks-grpc-role')).toMatchObject({
      metadata: { namespace: 'ipam-system' },
      rules: [
        { resources: ['endpointslices'], verbs: ['create'] },
        { resourceNames: ['ipam-networks-grpc-ipv4', 'ipam-networks-grpc-ipv6'], verbs: ['get', 'update'] },
        { resources: ['endpointslices/restricted'], verbs: ['create'] },
      ],
    });
  });

  test('tells of the share of failed calls among those of clients, without questions about health', () => {
    const [alert] = networksGrpcAlerts();
    const selectors = [...(alert?.expr ?? '').matchAll(/ipam_grpc_calls_total\{([^}]*)\}/gu)].map(([, of]) => of);
    expect(selectors).toEqual([
      'method!~"Health.*",code=~"INTERNAL|UNKNOWN|UNAVAILABLE|DEADLINE_EXCEEDED"',
      'method!~"Health.*"',
    ]);
  });

  test('takes a certificate, an audience and callers of your own', () => {
    const objects = synthesized(of({ certificateSecret: 'mine', audience: 'plan', allowAnonymous: true }));
    expect(settingsOf(objects)).toMatchObject({ networksGrpcAudience: 'plan', networksGrpcAnonymous: true });
    expect(namesOf(objects, 'Certificate')).toEqual([]);
    expect(JSON.stringify(objects)).toContain('"secretName":"mine"');
  });

  test.each([
    [
      'without the door',
      { services: { enabled: true }, networks: { grpc: {} } },
      'networks.grpc: needs networks.enabled, whose record it serves',
    ],
    [
      'with a certificate for the API server only',
      { ...of({}), certificates: 'self-managed' },
      'networks.grpc.certificateSecret: needed where certificates is "self-managed", whose CA is meant for the API server only',
    ],
  ] as const)('is refused %s', (_how, props, message) => {
    expect(messagesOf(props).join()).toContain(message);
  });
});
