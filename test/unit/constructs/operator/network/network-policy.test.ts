import type { IpamOperatorProps } from '../../../../../constructs';
import { namesOf, one, synthesized, type Json } from '../../../../support/operator-objects';

const postgres: Partial<IpamOperatorProps> = { store: { postgres: { connection: { name: 'dsn' } } } };

describe('networkPolicy', () => {
  const policyOf = (props: Partial<IpamOperatorProps>): Json => one(synthesized(props), 'NetworkPolicy')['spec']!;

  test('lets webhooks in from anywhere, and metrics from the monitoring', () => {
    expect(policyOf({})).toEqual({
      podSelector: {
        matchLabels: { 'app.kubernetes.io/name': 'ipam-operator', 'app.kubernetes.io/component': 'controller-manager' },
      },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        { ports: [{ protocol: 'TCP', port: 9443 }] },
        {
          ports: [{ protocol: 'TCP', port: 8081 }],
          from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
        },
      ],
      egress: [
        {
          ports: [
            { protocol: 'UDP', port: 53 },
            { protocol: 'TCP', port: 53 },
          ],
        },
        {
          ports: [
            { protocol: 'TCP', port: 443 },
            { protocol: 'TCP', port: 6443 },
          ],
        },
      ],
    });
  });

  test('takes namespaces, networks and ports', () => {
    const changed = policyOf({
      ...postgres,
      networkPolicy: {
        monitoringNamespaces: ['prometheus'],
        apiServerCidrs: ['10.0.0.1/32'],
        apiServerPorts: [16443],
        storeCidrs: ['10.9.0.0/24'],
      },
    });
    expect(changed['ingress']![1]!['from']).toEqual([
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'prometheus' } } },
    ]);
    expect(changed['egress']!.slice(1)).toEqual([
      { ports: [{ protocol: 'TCP', port: 16443 }], to: [{ ipBlock: { cidr: '10.0.0.1/32' } }] },
      { ports: [{ protocol: 'TCP', port: 5432 }], to: [{ ipBlock: { cidr: '10.9.0.0/24' } }] },
    ]);
  });

  test('takes an empty list of monitors for nobody, where Kubernetes would mean everybody', () => {
    expect(policyOf({ networkPolicy: { monitoringNamespaces: [] } })['ingress']).toEqual([
      { ports: [{ protocol: 'TCP', port: 9443 }] },
    ]);
  });

  test('opens the IPAM-API where it is exposed', () => {
    expect(policyOf({ ipamApi: { expose: {} } })['ingress']).toContainEqual({
      ports: [{ protocol: 'TCP', port: 9444 }],
    });
  });

  test('is not made where it is switched off', () => {
    expect(namesOf(synthesized({ networkPolicy: { enabled: false } }), 'NetworkPolicy')).toEqual([]);
  });
});
