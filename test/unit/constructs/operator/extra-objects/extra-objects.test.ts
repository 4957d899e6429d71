import { Chart, Testing } from 'cdk8s';

import { IpamOperator, ipamOperatorProblems, type Manifest } from '../../../../../constructs';
import { namesOf, one, synthesized, zones, type Json } from '../../../../support/operator-objects';

const config = (more: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'mine', namespace: 'ipam-system', ...more },
});
const hooks = (kind: string, clientConfig: object = {}): Manifest => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}WebhookConfiguration`,
  metadata: { name: 'mine' },
  webhooks: [{ name: 'a.example.com', clientConfig }],
});
const messagesOf = (...extraObjects: readonly Manifest[]): string[] =>
  ipamOperatorProblems({ zones, extraObjects }).map(({ message }) => message);

function errorOf(...extraObjects: readonly Manifest[]): string {
  const chart = new Chart(Testing.app(), 'chart');
  new IpamOperator(chart, 'operator', { zones, extraObjects });
  try {
    Testing.synth(chart);
  } catch (thrown) {
    return String(thrown);
  }
  return '';
}

describe('extraObjects', () => {
  test('come as they are, webhook configurations after everything else', () => {
    const objects = synthesized({ extraObjects: [hooks('Validating'), hooks('Mutating'), config()] });
    expect(one(objects, 'ConfigMap', 'mine')['metadata']).toMatchObject({ namespace: 'ipam-system' });
    const kinds = objects.map((object) => String(object['kind']));
    const first = kinds.findIndex((kind) => kind.endsWith('WebhookConfiguration'));
    expect(kinds.slice(first).every((kind) => kind.endsWith('WebhookConfiguration'))).toBe(true);
    expect(kinds.slice(first)).toHaveLength(4);
    expect(namesOf(objects, 'ValidatingWebhookConfiguration')).toContain('mine');
  });

  test('keep webhook configurations last where the operator has none', () => {
    const objects = synthesized({
      extraObjects: [hooks('Mutating'), config()],
      services: { enabled: false },
      ipamApi: { expose: {} },
    });
    expect(objects.at(-1)).toMatchObject({ kind: 'MutatingWebhookConfiguration' });
  });

  test.each<[string, string, Json]>(
    synthesized().map((object) => [String(object['kind']), String(object['metadata']?.['name']), object]),
  )('do not repeat %s %s of the operator', (kind, name, object) => {
    expect(errorOf(object)).toContain(
      `extraObjects[0]: ${kind} "${name}" is an object of the operator itself ("chart/op`,
    );
  });

  test('do not repeat an object of the operator in another version of its group', () => {
    const object: Manifest = one(synthesized(), 'Deployment');
    expect(errorOf({ ...object, apiVersion: 'apps/v1beta1' })).toContain(
      'Deployment "ipam-controller-manager" is an object',
    );
    expect(errorOf({ ...object, metadata: { name: 'ipam-controller-manager', namespace: 'other' } })).toBe('');
  });

  test('do not repeat each other', () => {
    expect(messagesOf(config(), config({ labels: { a: 'b' } }))).toEqual([
      'extraObjects[1]: ConfigMap "mine" is extraObjects[0] already',
    ]);
    expect(messagesOf(config(), config({ namespace: 'other' }))).toEqual([]);
  });

  test.each<[string, Manifest, string]>([
    ['no kind', { apiVersion: 'v1', metadata: { name: 'a' } }, 'extraObjects[0]: the object has no kind, which'],
    [
      'metadata that are none',
      { ...config(), metadata: 'a' },
      'extraObjects[0]: the object has no metadata.name, which',
    ],
    [
      'no namespace',
      config({ namespace: undefined }),
      'extraObjects[0].metadata.namespace: ConfigMap "mine" needs one, for example "ipam-system" beside the operator',
    ],
    [
      'no namespace for a kind of MetalLB',
      { apiVersion: 'metallb.io/v1beta2', kind: 'BGPPeer', metadata: { name: 'tor' } },
      'extraObjects[0].metadata.namespace: BGPPeer "tor" needs one',
    ],
    [
      'a namespace where there is none',
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'a', namespace: 'b' } },
      'extraObjects[0].metadata.namespace: "b" is not possible, since ClusterRole "a" stands in no namespace',
    ],
    ['a name with a slash', config({ name: 'a/b' }), 'extraObjects[0].metadata.name: "a/b" is not allowed'],
    ['a label that is a number', config({ labels: { a: 1 } }), 'extraObjects[0].metadata.labels[a]: 1 is not allowed'],
    [
      'an annotation that is null',
      config({ annotations: { a: null } }),
      'extraObjects[0].metadata.annotations[a]: null',
    ],
    [
      'a CA for a webhook',
      hooks('Mutating', { caBundle: '' }),
      'extraObjects[0].webhooks[0].clientConfig.caBundle: the injector of the CA and this manifest would overwrite each other',
    ],
    [
      'a CA for an API service',
      { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: 'a' }, spec: { caBundle: 'x' } },
      'extraObjects[0].spec.caBundle: the injector of the CA',
    ],
    [
      'a CA for a conversion',
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'a' },
        spec: { conversion: { webhook: { clientConfig: { caBundle: 'x' } } } },
      },
      'extraObjects[0].spec.conversion.webhook.clientConfig.caBundle: the injector of the CA',
    ],
  ])('are refused with %s', (_what, manifest, text) => {
    expect(messagesOf(manifest)).toEqual([expect.stringContaining(text)]);
    expect(errorOf(manifest)).toContain(`[chart/operator] ${text}`);
  });

  test('may be of a kind that nobody knows here, and an Issuer may bring its own CA', () => {
    const objects = synthesized({
      extraObjects: [
        { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a:b' } },
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'mine' } },
        {
          apiVersion: 'cert-manager.io/v1',
          kind: 'Issuer',
          metadata: { name: 'vault', namespace: 'ipam-system' },
          spec: { vault: { caBundle: 'x' } },
        },
      ],
    });
    expect(one(objects, 'Thing')['metadata']).not.toHaveProperty('namespace');
    expect(one(objects, 'Namespace', 'mine')['metadata']).not.toHaveProperty('namespace');
    expect(one(objects, 'Issuer', 'vault')['spec']).toEqual({ vault: { caBundle: 'x' } });
  });
});

describe('extraObjects that hide something', () => {
  const pool = (addresses: unknown, name = 'mine', namespace = 'metallb-system'): Manifest => ({
    apiVersion: 'metallb.io/v1beta1',
    kind: 'IPAddressPool',
    metadata: { name, namespace },
    spec: { addresses },
  });

  test.each<[string, Manifest, string]>([
    [
      'a List, which is several objects',
      { apiVersion: 'v1', kind: 'List', metadata: { name: 'all' }, items: [config()] },
      'extraObjects[0]: "List" with items is a list of objects; give each object on its own',
    ],
    [
      'a list of one kind',
      { apiVersion: 'v1', kind: 'ConfigMapList', metadata: {}, items: [] },
      'extraObjects[0]: "ConfigMapList" with items is a list',
    ],
    ['a blank apiVersion', { ...config(), apiVersion: '  ' }, 'extraObjects[0]: the object has no apiVersion, which'],
    ['a blank kind', { ...config(), kind: ' ' }, 'extraObjects[0]: the object has no kind, which'],
    [
      'an apiVersion with a blank',
      { ...config(), apiVersion: 'v1 ' },
      'extraObjects[0].apiVersion: "v1 " is not allowed',
    ],
    ['a kind with a blank', { ...config(), kind: 'Config Map' }, 'extraObjects[0].kind: "Config Map" is not allowed'],
    ['a blank namespace', config({ namespace: ' ' }), 'extraObjects[0].metadata.namespace: " " is not allowed'],
    ['a namespace that is a number', config({ namespace: 5 }), 'extraObjects[0].metadata.namespace: 5 is not allowed'],
    [
      'a Date',
      { ...config(), data: { at: new Date(0) } },
      'extraObjects[0].data.at: a value of class Date is not allowed',
    ],
  ])('are refused with %s', (_what, manifest, text) => {
    expect(messagesOf(manifest)).toEqual([expect.stringContaining(text)]);
  });

  test('may be of a kind that is called a list', () => {
    expect(messagesOf({ apiVersion: 'example.com/v1', kind: 'AllowList', metadata: { name: 'a' } })).toEqual([]);
  });

  test('hold no pool that overlaps a zone', () => {
    expect(errorOf(pool(['10.9.0.0/16']))).toBe('');
    expect(errorOf(pool(['10.9.0.0/16', '83.118.168.64-83.118.168.70']))).toMatch(
      /"83\.118\.168\.0\/24" of zone "inet" \[chart\/operator\] overlaps "83\.118\.168\.64-83\.118\.168\.70" of pool "mine" \[chart\/operator\/ExtraObjects\//,
    );
  });

  test('hold no pools that overlap each other, and none that MetalLB would refuse', () => {
    expect(errorOf(pool(['10.9.0.0/16']), pool(['10.9.8.0/24'], 'other'))).toContain(
      'extraObjects[1].spec.addresses[0]: "10.9.8.0/24" of pool "other" [',
    );
    expect(errorOf(pool(['10.9.0.1/16']))).toContain('extraObjects[0].spec.addresses[0]: "10.9.0.1/16" has bits set');
  });
});

describe('extraObjects of any kind', () => {
  const extraObjects = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ipam-system' }, data: { empty: '' } },
    { apiVersion: 'example.com/v1', kind: 'Anything', metadata: { name: 'b' }, spec: { off: false, none: 0 } },
  ];

  test('are written as they are, before the webhooks, without a namespace that nobody gave', () => {
    const objects = synthesized({ extraObjects });
    expect(one(objects, 'ConfigMap', 'a')).toEqual({
      ...extraObjects[0],
      metadata: { name: 'a', namespace: 'ipam-system', labels: { team: 'net' } },
    });
    expect(one(objects, 'Anything')).toEqual({ ...extraObjects[1], metadata: { name: 'b', labels: { team: 'net' } } });
    expect(objects.slice(-2).map((object) => object['kind'])).toEqual([
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
    ]);
  });

  test('are there before the Pods that may read them', () => {
    const kinds = synthesized({ extraObjects }).map((object) => object['kind']);
    expect(kinds.indexOf('Anything' as Json)).toBeLessThan(kinds.indexOf('Deployment' as Json));
  });
});
