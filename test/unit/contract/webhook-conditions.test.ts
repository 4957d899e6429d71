import { runInNewContext } from 'node:vm';

import { selectorMatches } from '../../../operator/contract/label-selector';
import {
  NAMESPACE_NAME_LABEL,
  webhookConditions,
  webhookNamespaces,
} from '../../../operator/contract/webhook-conditions';

/**
 * Reads the few CEL forms that the conditions use as JavaScript. A field of an absent map throws here, as it errors there.
 */
function called(object: unknown, classes: readonly string[] = []): boolean {
  return webhookConditions(classes).every(({ expression }) => {
    const script = expression
      .replaceAll(/has\(([\w.]+)\)/g, '($1 !== undefined)')
      .replaceAll(/([\w.]+) in (\[[^\]]*\])/g, '$2.includes($1)');
    return runInNewContext(script, { object }) as boolean;
  });
}

const loadBalancer = (spec: object = {}, metadata: object = {}) => ({
  metadata,
  spec: { type: 'LoadBalancer', ...spec },
});

describe('webhookConditions', () => {
  test.each([
    ['a LoadBalancer without a class', loadBalancer(), true],
    ['a ClusterIP Service', { metadata: {}, spec: { type: 'ClusterIP' } }, false],
    ['a headless Service', { metadata: {}, spec: { type: 'ClusterIP', clusterIP: 'None' } }, false],
    ['a Service whose type has no value yet', { metadata: {}, spec: {} }, false],
    ['an object without spec', { metadata: {} }, false],
    ['no new object (DELETE)', null, false],
    [
      'SVC-03 a LoadBalancer of a class that nobody listed',
      loadBalancer({ loadBalancerClass: 'example.com/other' }),
      false,
    ],
    ['SVC-03 an empty class', loadBalancer({ loadBalancerClass: '' }), false],
    [
      'a dying LoadBalancer that loses a finalizer',
      loadBalancer({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      false,
    ],
  ])('WH-02 %s', (_what, object, expected) => {
    expect(called(object)).toBe(expected);
  });

  test('lets listed classes in beside Services without a class', () => {
    const classes = ['example.com/a', "odd'class"];
    expect(called(loadBalancer(), classes)).toBe(true);
    expect(called(loadBalancer({ loadBalancerClass: 'example.com/a' }), classes)).toBe(true);
    expect(called(loadBalancer({ loadBalancerClass: "odd'class" }), classes)).toBe(true);
    expect(called(loadBalancer({ loadBalancerClass: 'example.com/b' }), classes)).toBe(false);
  });

  test('never looks at the old object, so leaving the type needs no webhook', () => {
    expect(
      webhookConditions(['example.com/a'])
        .map(({ expression }) => expression)
        .join(' '),
    ).not.toContain('oldObject');
  });
});

describe('webhookNamespaces', () => {
  test.each(['kube-system', 'ipam-system', 'metallb-system', 'cert-manager'])('WH-02 leaves %s alone', (name) => {
    expect(selectorMatches(webhookNamespaces(), { [NAMESPACE_NAME_LABEL]: name })).toBe(false);
  });

  test('takes every other namespace, and leaves out what is added', () => {
    expect(selectorMatches(webhookNamespaces(['legacy']), { [NAMESPACE_NAME_LABEL]: 'a' })).toBe(true);
    expect(selectorMatches(webhookNamespaces(['legacy']), { [NAMESPACE_NAME_LABEL]: 'legacy' })).toBe(false);
  });
});
