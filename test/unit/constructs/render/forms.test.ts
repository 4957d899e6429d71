import { ApiObject, Chart, Testing } from 'cdk8s';
import { parse, parseAllDocuments } from 'yaml';

import {
  EGRESS_ALONE,
  installation,
  NETWORKS_ALONE,
  VIPS_ALONE,
} from '../../../../constructs/render/installation/installation';
import { fileOfKind, kustomizeBase } from '../../../../constructs/render/objects/kustomize';
import { renderedManifests } from '../../../../constructs/render/manifests';
import { orderedObjects, type ApiManifest } from '../../../../constructs/render/objects/ordered-objects';
import { identityOf } from '../../../support/helm-release';

const read = (text: string, version: '1.1' | '1.2' = '1.2'): ApiManifest[] =>
  parseAllDocuments(text, { version }).map((document) => document.toJS() as ApiManifest);

const object = (chart: Chart, kind: string, name = kind.toLowerCase()): ApiObject =>
  new ApiObject(chart, `${kind}-${name}`, { apiVersion: 'v1', kind, metadata: { name } });

describe('orderedObjects', () => {
  test('puts namespaces and definitions first and webhook configurations last, in any order of construction', () => {
    const chart = new Chart(Testing.app(), 'chart');
    const kinds = ['ValidatingWebhookConfiguration', 'Service', 'Namespace', 'MutatingWebhookConfiguration'];
    kinds.forEach((kind) => object(chart, kind));
    object(chart, 'CustomResourceDefinition');
    expect(orderedObjects(chart).map(({ kind }) => kind)).toEqual([
      'Namespace',
      'CustomResourceDefinition',
      'Service',
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
    ]);
  });

  test('puts an object after those that it depends on', () => {
    const chart = new Chart(Testing.app(), 'chart');
    const [a, b, c] = ['a', 'b', 'c'].map((name) => object(chart, 'ConfigMap', name));
    a?.addDependency(c!);
    c?.addDependency(b!);
    expect(orderedObjects(chart).map(({ metadata }) => metadata.name)).toEqual(['b', 'c', 'a']);
  });

  test('moves nothing of the installation before what it depends on', () => {
    const chart = installation({ monitoring: { serviceMonitor: {}, prometheusRule: {}, dashboard: {} } });
    const order = orderedObjects(chart).map(identityOf);
    const place = (of: ApiObject): number => order.indexOf(identityOf(of.toJson() as ApiManifest));
    const objects = chart.node.findAll().filter((each) => ApiObject.isApiObject(each));
    expect(objects.map(place).toSorted((a, b) => a - b)).toEqual(order.map((_identity, i) => i));
    const late = objects.flatMap((object) =>
      object.node.dependencies
        .flatMap((each) => each.node.findAll())
        .filter((each) => ApiObject.isApiObject(each))
        .filter((each) => place(each) > place(object))
        .map((each) => `${each.node.path} comes after ${object.node.path}`),
    );
    expect(late).toEqual([]);
  });

  test('runs the validations of the tree', () => {
    expect(() => orderedObjects(installation({ zones: [{ name: 'a', prefixes: ['10.0.0.1/8'] }] }))).toThrow(
      'has bits set',
    );
  });
});

describe('fileOfKind', () => {
  test('separates words, and abbreviations from words', () => {
    const kinds = ['Namespace', 'ConfigMap', 'IPAddressPool', 'L2Advertisement', 'CustomResourceDefinition'];
    expect(kinds.map(fileOfKind)).toEqual([
      'namespace.yaml',
      'config-map.yaml',
      'ip-address-pool.yaml',
      'l2-advertisement.yaml',
      'custom-resource-definition.yaml',
    ]);
  });
});

describe('renderedManifests', () => {
  const files = renderedManifests();
  const expected = orderedObjects(installation());
  const install = files['install.yaml'] ?? '';

  test('writes the objects of the tree into install.yaml, in the order of the tree', () => {
    expect(read(install)).toEqual(expected);
    expect(expected[0]?.kind).toMatch(/Namespace|CustomResourceDefinition/);
    expect(expected.slice(-2).map(({ kind }) => kind)).toEqual([
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
    ]);
  });

  test.each([
    ['the VIPs door', 'vips.yaml', VIPS_ALONE],
    ['the Networks door', 'networks.yaml', NETWORKS_ALONE],
    ['the Egress door', 'egress.yaml', EGRESS_ALONE],
  ])('writes %s alone into %s, without anything that another project has to bring', (_what, file, props) => {
    const alone = read(files[file] ?? '');
    expect(alone).toEqual(orderedObjects(installation(props)));
    expect(read(files[file] ?? '', '1.1')).toEqual(alone);
    const groups = new Set(alone.map(({ apiVersion }) => (apiVersion.includes('/') ? apiVersion.split('/')[0] : '')));
    expect([...groups].filter((group) => /cert-manager|metallb|monitoring/u.test(group ?? ''))).toEqual([]);
    expect(alone.map(({ kind }) => kind)).not.toContain('PersistentVolumeClaim');
  });

  test('lists every image of every form in images.txt', () => {
    const listed = (files['images.txt'] ?? '').trim().split('\n');
    const named = ['install.yaml', 'vips.yaml', 'networks.yaml', 'egress.yaml', 'kustomize/deployment.yaml'].flatMap(
      (file) => [...(files[file] ?? '').matchAll(/^\s*(?:- )?image: "?([^"\s]+)"?$/gmu)].map(([, image]) => image),
    );
    expect(named).toHaveLength(5);
    expect([...new Set(named)]).toEqual(listed);
    const chart = parse(files['charts/cdk8s-ipam/Chart.yaml'] ?? '') as { annotations: Record<string, string> };
    const annotated = parse(chart.annotations['artifacthub.io/images'] ?? '') as readonly { readonly image: string }[];
    expect(annotated.map(({ image }) => image)).toEqual(listed);
  });

  test('CDK-01 writes install.yaml so that readers of YAML 1.1 and 1.2 agree', () => {
    expect(read(install, '1.1')).toEqual(read(install, '1.2'));
  });

  const LASTING = [
    'Namespace',
    'PersistentVolumeClaim',
    'CustomResourceDefinition',
    'IPAddressPool',
    'L2Advertisement',
  ];

  test('FU-62 keeps what users would lose: namespace, volume, definitions, pools and advertisements', () => {
    const kept = expected.filter(({ kind }) => LASTING.includes(kind));
    expect(new Set(kept.map(({ kind }) => kind)).size).toBe(LASTING.length);
    for (const { kind, metadata } of kept) {
      expect([kind, metadata['annotations']]).toEqual([
        kind,
        expect.objectContaining({
          'helm.sh/resource-policy': 'keep',
          'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
        }),
      ]);
    }
  });

  test.each([
    ['install.yaml', 'uninstall.yaml'],
    ['vips.yaml', 'uninstall-vips.yaml'],
    ['networks.yaml', 'uninstall-networks.yaml'],
    ['egress.yaml', 'uninstall-egress.yaml'],
  ])('FU-62 lists what of %s may go in %s, webhook configurations first', (whole, going) => {
    const identities = read(files[whole] ?? '')
      .filter(({ kind }) => !LASTING.includes(kind))
      .map(identityOf);
    expect(read(files[going] ?? '').map(identityOf)).toEqual(identities.toReversed());
    const isHook = (identity: string): boolean => identity.includes('WebhookConfiguration');
    expect(identities.toReversed().findLastIndex(isHook)).toBe(identities.filter(isHook).length - 1);
  });

  test('writes no placeholder into any file', () => {
    expect(Object.entries(files).filter(([, text]) => /late-?bound/.test(text))).toEqual([]);
  });

  test('is the same at every run', () => {
    expect(renderedManifests()).toEqual(files);
  });

  test('writes a kustomize base whose files hold the objects of the tree, in order', () => {
    const base = kustomizeBase(expected);
    const { resources, ...rest } = parse(base['kustomization.yaml'] ?? '') as { resources: string[] };
    expect(rest).toEqual({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      sortOptions: { order: 'fifo' },
    });
    expect(Object.keys(base).sort()).toEqual(['kustomization.yaml', ...resources].sort());
    const all = resources.flatMap((file) => read(base[file] ?? ''));
    const byIdentity = (objects: readonly ApiManifest[]): ApiManifest[] =>
      objects.toSorted((a, b) => identityOf(a).localeCompare(identityOf(b)));
    expect(byIdentity(all)).toEqual(byIdentity(expected));
    expect(resources.at(-1)).toBe('validating-webhook-configuration.yaml');
    expect(Object.keys(files)).toEqual(expect.arrayContaining(Object.keys(base).map((file) => `kustomize/${file}`)));
  });
});
