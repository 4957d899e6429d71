import { runInNewContext } from 'node:vm';

import { IPAM, METALLB } from '../../../operator/contract/group';
import { NAMESPACE_NAME_LABEL, selectorMatches } from '../../../operator/contract/label-selector';
import { webhookConditions, webhookNamespaces, type WebhookScope } from '../../../operator/contract/webhook-conditions';

const PATH = String.raw`\w+(?:\?\.\w+|\?\.\[\w+\])+`;
const PRELUDE = `
  Object.defineProperty(Object.prototype, 'exists', { value(test) { return Object.keys(this).some((key) => test(key)); } });
  Object.defineProperty(Object.prototype, 'size', { value() { return Object.keys(this).length; } });
  Object.defineProperty(Array.prototype, 'exists', { value(test) { return this.some((each) => test(each)); } });
  const [object, oldObject] = JSON.parse(review);
`;

/**
 * Reads the few CEL forms that the conditions use as JavaScript. A field of an absent map throws here, as it errors there; one
 * condition that is false counts more than another that throws.
 */
function called(object: unknown, scope: Partial<WebhookScope> = {}, oldObject: unknown = null): boolean {
  const conditions = webhookConditions({ loadBalancerClasses: [], hasDefaultZone: true, ...scope });
  const answers = conditions.map(({ expression }) => {
    const script = expression
      .replaceAll(/has\(([\w.]+)\)/g, '($1 !== undefined)')
      .replaceAll(/([\w.]+) in (\[[^\]]*\])/g, '$2.includes($1)')
      .replaceAll('.?', '?.')
      .replaceAll(/\[\?(\w+)\]/g, '?.[$1]')
      .replaceAll(/exists\((\w), /g, 'exists(($1) => ')
      .replaceAll(new RegExp(String.raw`(${PATH})\.hasValue\(\)`, 'g'), '($1 !== undefined)')
      .replaceAll(new RegExp(String.raw`(${PATH})\.orValue\(([^)]*)\)`, 'g'), '($1 ?? $2)')
      .replaceAll(new RegExp(`(${PATH}) != (${PATH})`, 'g'), 'JSON.stringify($1) !== JSON.stringify($2)');
    try {
      return runInNewContext(`${PRELUDE} ${script}`, { review: JSON.stringify([object, oldObject]) }) as boolean;
    } catch {
      return 'error';
    }
  });
  if (answers.includes(false)) return false;
  if (answers.includes('error')) throw new RangeError('an expression errs');
  return true;
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
  ])('WH-02 %s', (_what, object, expected) => {
    expect(called(object)).toBe(expected);
  });

  test('lets listed classes in beside Services without a class', () => {
    const loadBalancerClasses = ['example.com/a', "odd'class"];
    expect(called(loadBalancer(), { loadBalancerClasses })).toBe(true);
    expect(called(loadBalancer({ loadBalancerClass: 'example.com/a' }), { loadBalancerClasses })).toBe(true);
    expect(called(loadBalancer({ loadBalancerClass: "odd'class" }), { loadBalancerClasses })).toBe(true);
    expect(called(loadBalancer({ loadBalancerClass: 'example.com/b' }), { loadBalancerClasses })).toBe(false);
  });

  test('lets a Service leave the type without a call', () => {
    expect(called({ metadata: {}, spec: { type: 'ClusterIP' } }, {}, loadBalancer())).toBe(false);
  });

  describe('without a default zone', () => {
    const scope = { hasDefaultZone: false };
    const named = (...keys: string[]) => ({ annotations: Object.fromEntries(keys.map((key) => [key, 'x'])) });

    test.each([...Object.values(IPAM), ...Object.values(METALLB), 'ipam.vitistack.io/misspelt'])(
      'FU-60 %s asks',
      (key) => {
        expect(called(loadBalancer({}, named(key)), scope)).toBe(true);
        expect(called(loadBalancer({}, {}), scope, loadBalancer({}, named(key)))).toBe(true);
      },
    );

    test('FU-60 an address in the spec asks', () => {
      expect(called(loadBalancer({ loadBalancerIP: '10.0.0.1' }), scope)).toBe(true);
    });

    test.each([
      ['nothing', {}],
      ['no annotations', { annotations: null }],
      ["keys of others, MetalLB's own among them", named('example.com/a', 'metallb.io/ip-allocated-from-pool')],
    ])('FU-60 a Service with %s wants nothing of us', (_what, metadata) => {
      expect(called(loadBalancer({}, metadata), scope)).toBe(false);
      expect(called(loadBalancer({}, metadata), scope, loadBalancer())).toBe(false);
    });

    test('FU-60 what a Service of another type said does not count', () => {
      const before = { metadata: named(IPAM.zone), spec: { type: 'ClusterIP' } };
      expect(called(loadBalancer(), scope, before)).toBe(false);
    });
  });

  describe('a dying Service', () => {
    const dying = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    const before = loadBalancer(
      { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
      { ...dying, annotations: { [IPAM.zone]: 'a' } },
    );
    const changed = (spec: object, annotations: object = {}) =>
      loadBalancer({ ...before.spec, ...spec }, { ...dying, annotations: { [IPAM.zone]: 'a', ...annotations } });

    test.each([true, false])('FU-01 passes while it asks for nothing new (default zone: %s)', (hasDefaultZone) => {
      const scope = { hasDefaultZone };
      expect(called(changed({}), scope, before)).toBe(false);
      expect(called(changed({ ports: [{ port: 1 }] }, { 'example.com/a': 'b' }), scope, before)).toBe(false);
      expect(called(changed({ ipFamilies: undefined, ipFamilyPolicy: undefined }), scope, before)).toBe(false);
    });

    test.each<[string, object, object]>([
      ['loadBalancerIP', { loadBalancerIP: '10.0.0.1' }, {}],
      ['ipFamilyPolicy', { ipFamilyPolicy: 'PreferDualStack' }, {}],
      ['ipFamilies', { ipFamilies: ['IPv4', 'IPv6'] }, {}],
      ...[...Object.values(IPAM), ...Object.values(METALLB)].map((key): [string, object, object] => [
        key,
        {},
        { [key]: 'new' },
      ]),
    ])('FU-01 is sent when it changes %s', (_what, spec, annotations) => {
      for (const hasDefaultZone of [true, false])
        expect(called(changed(spec, annotations), { hasDefaultZone }, before)).toBe(true);
    });

    test('FU-01 is sent when it becomes a LoadBalancer', () => {
      const other = { ...before, spec: { ...before.spec, type: 'ClusterIP' } };
      expect(called(changed({}), { hasDefaultZone: false }, other)).toBe(true);
    });
  });
});

describe('webhookNamespaces', () => {
  test.each(['kube-system', 'kube-public', 'kube-node-lease', 'ipam-system'])('WH-02 leaves %s alone', (name) => {
    expect(selectorMatches(webhookNamespaces(), { [NAMESPACE_NAME_LABEL]: name })).toBe(false);
  });

  test.each(['monitoring', 'rook-ceph', 'kyverno', 'metallb-system', 'cert-manager'])('FU-67 takes %s', (name) => {
    expect(selectorMatches(webhookNamespaces(), { [NAMESPACE_NAME_LABEL]: name })).toBe(true);
  });

  test('takes every other namespace, and leaves out what is added', () => {
    expect(selectorMatches(webhookNamespaces(['legacy']), { [NAMESPACE_NAME_LABEL]: 'a' })).toBe(true);
    expect(selectorMatches(webhookNamespaces(['legacy']), { [NAMESPACE_NAME_LABEL]: 'legacy' })).toBe(false);
  });
});
