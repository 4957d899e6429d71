import type { IpamOperatorProps } from '../../../../../constructs';
import { EXCLUDED_NAMESPACES } from '../../../../../operator/contract/group';
import {
  NAMESPACE_NAME_LABEL,
  selectorMatches,
  type LabelSelector,
} from '../../../../../operator/contract/label-selector';
import { webhookConditions } from '../../../../../operator/contract/webhook-conditions';
import { one, synthesized } from '../../../../support/operator-objects';

describe('services.excludedNamespaces', () => {
  test('are left out beside those that always are, none twice', () => {
    const values = (props: Partial<IpamOperatorProps>): readonly string[] =>
      one(synthesized(props), 'ValidatingWebhookConfiguration')['webhooks']![0]!['namespaceSelector']![
        'matchExpressions'
      ]![0]!['values'] as unknown as string[];
    const standard = values({});
    expect(standard).toEqual(['kube-system', 'kube-public', 'kube-node-lease', 'ipam-system']);
    expect(values({ services: { excludedNamespaces: ['legacy', 'kube-system'] } })).toEqual([...standard, 'legacy']);
  });
});

describe('the webhooks of the Services door', () => {
  const objects = synthesized();
  const webhookKinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const;

  test('passes settings of the Services door to webhooks and operator alike', () => {
    const changed = synthesized({
      whenUnavailable: 'admit',
      zonePools: 'claims',
      services: { loadBalancerClasses: ['example.com/a'], excludedNamespaces: ['legacy'] },
      logLevel: 'debug',
    });
    const args = one(changed, 'Deployment')['spec']!['template']!['spec']!['containers']![0]![
      'args'
    ] as unknown as string[];
    expect(args).toEqual(
      expect.arrayContaining([
        '--when-unavailable=admit',
        '--zone-pools=claims',
        '--load-balancer-classes=example.com/a',
        '--excluded-namespaces=legacy',
        '--log-level=debug',
      ]),
    );
    for (const kind of webhookKinds) {
      const webhook = one(changed, kind)['webhooks']![0]!;
      expect(webhook['failurePolicy']).toBe('Ignore');
      expect(webhook['matchConditions']).toEqual(
        webhookConditions({ loadBalancerClasses: ['example.com/a'], hasDefaultZone: false }),
      );
      expect(selectorMatches(webhook['namespaceSelector'] as LabelSelector, { [NAMESPACE_NAME_LABEL]: 'legacy' })).toBe(
        false,
      );
    }
  });

  describe.each([
    [
      webhookKinds[0],
      'ipam-mutating-webhook-configuration',
      'mservice-v1.kb.io',
      '/mutate--v1-service',
      'NoneOnDryRun',
    ],
    [webhookKinds[1], 'ipam-validating-webhook-configuration', 'vservice-v1.kb.io', '/validate--v1-service', 'None'],
  ])('%s', (...[kind, name, webhookName, path, sideEffects]: [string, string, string, string, string]) => {
    const configuration = one(objects, kind);
    const webhook = configuration['webhooks']![0]!;

    test('has the names, the path and the timeout of the contract', () => {
      expect(configuration['metadata']!['name']).toBe(name);
      // the validating one guards the pools of MetalLB as well
      expect(configuration['webhooks']).toHaveLength(kind.startsWith('Mutating') ? 1 : 2);
      expect(webhook).toMatchObject({
        name: webhookName,
        sideEffects,
        timeoutSeconds: 30,
        failurePolicy: 'Fail',
        admissionReviewVersions: ['v1'],
        clientConfig: { service: { name: 'ipam-webhook-service', namespace: 'ipam-system', path, port: 443 } },
      });
      expect(webhook['reinvocationPolicy']).toBe(kind.startsWith('Mutating') ? 'IfNeeded' : undefined);
    });

    test('asks cert-manager for the CA of its certificate', () => {
      expect(configuration['metadata']!['annotations']).toEqual({
        'cert-manager.io/inject-ca-from': 'ipam-system/ipam-serving-cert',
      });
    });

    test('WH-02 is called for nothing but the creation and change of live LoadBalancer Services', () => {
      expect(webhook['rules']).toEqual([
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          operations: ['CREATE', 'UPDATE'],
          resources: ['services'],
          scope: 'Namespaced',
        },
      ]);
      expect(webhook['matchConditions']).toEqual(webhookConditions({ loadBalancerClasses: [], hasDefaultZone: false }));
    });

    test('WH-02 leaves kube-system, its own namespace and the others of the list alone', () => {
      const selector = webhook['namespaceSelector'] as LabelSelector;
      const reached = (namespace: string): boolean => selectorMatches(selector, { [NAMESPACE_NAME_LABEL]: namespace });
      expect(EXCLUDED_NAMESPACES.filter(reached)).toEqual([]);
      expect(EXCLUDED_NAMESPACES).toEqual(expect.arrayContaining(['kube-system', 'ipam-system']));
      expect(reached('a')).toBe(true);
    });
  });
});
