import { Testing } from 'cdk8s';
import { IpamOperator } from '../../../../constructs';
import { webhookCheck } from '../../../../constructs/validations/webhook-safety';
import { placed } from '../../../support/placed-objects';

const SELECTOR = {
  matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'own'] }],
};
const SAFE = {
  name: 'a.example.com',
  failurePolicy: 'Fail',
  timeoutSeconds: 10,
  sideEffects: 'None',
  namespaceSelector: SELECTOR,
  clientConfig: { service: { name: 'web', namespace: 'own' } },
  rules: [{ operations: ['CREATE', 'UPDATE'], resources: ['services'], scope: 'Namespaced' }],
};
const configuration = (...webhooks: readonly object[]): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'hooks' },
  webhooks,
});
const violations = (...webhooks: readonly object[]) =>
  webhookCheck(placed(configuration(...webhooks))).map(({ rule, locations }) => [rule, locations]);

describe('WebhookSafety', () => {
  test.each<[string, object]>([
    ['a safe webhook', SAFE],
    ['policy Ignore without a selector', { ...SAFE, failurePolicy: 'Ignore', namespaceSelector: undefined }],
    ['DELETE with policy Ignore', { ...SAFE, failurePolicy: 'Ignore', rules: [{ operations: ['*'] }] }],
    [
      'a webhook for cluster-scoped kinds, which no selector of namespaces concerns',
      {
        ...SAFE,
        namespaceSelector: undefined,
        rules: [{ operations: ['CREATE'], scope: 'Cluster' }],
      },
    ],
    ['namespaces that are chosen by a label', { ...SAFE, namespaceSelector: { matchLabels: { ipam: 'on' } } }],
    ['a server outside of the cluster', { ...SAFE, clientConfig: { url: 'https://hooks.example.com' } }],
  ])('accepts %s', (_, webhook) => {
    expect(violations(webhook)).toEqual([]);
  });

  test.each<[string, string, object, string]>([
    [
      'Fail without a selector',
      'namespaces',
      { ...SAFE, namespaceSelector: undefined },
      'namespaceSelector reaches namespace "kube-system"',
    ],
    [
      'a policy that is left out, which means Fail',
      'namespaces',
      { ...SAFE, failurePolicy: undefined, namespaceSelector: {} },
      'reaches namespace "own"',
    ],
    ['a missing timeout', 'timeout', { ...SAFE, timeoutSeconds: undefined }, 'timeoutSeconds: absent'],
    ['a timeout above what the API server takes', 'timeout', { ...SAFE, timeoutSeconds: 31 }, 'timeoutSeconds: 31'],
    ['DELETE with Fail', 'delete', { ...SAFE, rules: [{ operations: ['CREATE', 'DELETE'] }] }, 'rules[0].operations'],
    ['every operation with Fail', 'delete', { ...SAFE, rules: [{ operations: ['*'] }] }, '["*"]'],
    ['unknown side effects', 'side-effects', { ...SAFE, sideEffects: 'Some' }, 'sideEffects: "Some"'],
    ['side effects that are left out', 'side-effects', { ...SAFE, sideEffects: undefined }, 'sideEffects: absent'],
    [
      'a CA in the manifest',
      'ca-bundle',
      { ...SAFE, clientConfig: { ...SAFE.clientConfig, caBundle: '' } },
      'clientConfig.caBundle',
    ],
  ])('finds %s', (_, rule, ...[webhook, text]) => {
    const found = violations({ ...SAFE }, webhook);
    expect(found.map(([name]) => name)).toEqual([`webhook/${rule}`]);
    expect(String(found[0]?.[1])).toContain('webhooks[1].');
    expect(String(found[0]?.[1])).toContain(text);
  });

  test('a selector that leaves out kube-system alone still reaches the own namespace', () => {
    const half = {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] }],
    };
    expect(violations({ ...SAFE, namespaceSelector: half })).toEqual([
      ['webhook/namespaces', ['webhooks[0].namespaceSelector reaches namespace "own"']],
    ]);
  });

  test('accepts what the operator deploys, with both policies', () => {
    for (const whenUnavailable of ['deny', 'admit'] as const) {
      const chart = Testing.chart();
      new IpamOperator(chart, 'ipam', {
        zones: [{ name: 'lan', prefixes: ['192.0.2.0/24'] }],
        whenUnavailable,
        ...(whenUnavailable === 'admit' ? { zonePools: 'claims' } : {}),
      });
      expect(webhookCheck(placed(...(Testing.synth(chart) as object[])))).toEqual([]);
    }
  });
});
