import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse, parseAllDocuments } from 'yaml';

import type { Json } from '../../constructs/render/helm/value-reader';
import { installation } from '../../constructs/render/installation/installation';
import { RELATED_SYSTEM_NAMES } from '../../constructs/operator/process/servers';
import { orderedObjects, type ApiManifest } from '../../constructs/render/objects/ordered-objects';
import { runHelm, type HelmRun } from '../support/helm';
import {
  comparable,
  DEFAULTS,
  PATHS,
  RenderedChart,
  synthesized,
  tree,
  valueIn,
  type Values,
} from '../support/helm-release';
import { CHART_SAMPLES } from '../support/helm-samples';

/** The gRPC API then is the only server that our CA certifies. */
const BESIDE_FOREIGN_ISSUER = {
  'store.kind': 'sqlite',
  zones: valueIn(DEFAULTS, 'zones') ?? [],
  'networks.grpc.enabled': true,
  'ipamApi.expose.enabled': true,
  'ipamApi.expose.issuer.name': 'company',
  'ipamApi.expose.clientsSecret': 'clients',
};

/** No door with a record of its own, and none beside another one. */
const ALONE = { 'store.kind': 'objects', 'services.enabled': false, zones: [] };

/** Our CA certifies the metrics alone. */
const API_OF_OTHER_ISSUER = { 'ipamApi.expose.enabled': true, 'ipamApi.expose.issuer.name': 'company' };

let rendered: RenderedChart;

function templated(values: Values, ...words: readonly string[]): readonly ApiManifest[] {
  const { status, stdout, stderr } = rendered.template(values, ...words);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return parseAllDocuments(stdout, { version: '1.1', uniqueKeys: true })
    .map((document) => document.toJS() as ApiManifest | null)
    .filter((object) => object !== null);
}

const tokenOf = (all: Readonly<Record<string, Json>>): Json =>
  all['store.remote.apiVersion'] === 2 ? '' : (all['store.remote.tokenSecret'] ?? 'api-token');

/** Values that have no effect beside the others, which is refused. */
function withoutEffect(all: Readonly<Record<string, Json>>): readonly string[] {
  const policy = Object.keys(all).filter((path) => path.startsWith('networkPolicy.') && !path.endsWith('.enabled'));
  const own = typeof all['ipamApi.expose.certificateSecret'] === 'string';
  return [
    ...(own ? ['ipamApi.expose.issuer.name', 'ipamApi.expose.dnsNames'] : []),
    ...(all['networkPolicy.enabled'] === false ? policy : []),
    ...((all['store.kind'] ?? 'sqlite') === 'sqlite' ? ['networkPolicy.storeCidrs'] : []),
    ...RELATED_SYSTEM_NAMES.flatMap((name) =>
      all[`${name}.url`] === undefined ? [`networkPolicy.${name}Cidrs`, `${name}.tokenSecret`, `${name}.caSecret`] : [],
    ),
    ...(all['crds.install'] === false ? ['crds.keep', 'crds.breakGlassGroup'] : []),
    ...(all['monitoring.secure.enabled'] === true ? [] : ['monitoring.serviceMonitor.tokenSecret']),
  ];
}

function suitRelatedSystems(all: Record<string, Json>): void {
  if (all['ipamApi.expose.clientsSecret'] !== undefined) Reflect.deleteProperty(all, 'ipamApi.expose.clientsConfigMap');
  else if (all['ipamApi.expose.clientsConfigMap'] === undefined) {
    Reflect.deleteProperty(all, 'ipamApi.expose.clientCaSecret');
  }
  if (all['store.kind'] === 'remote') {
    for (const name of ['netbox', 'cleanupEvents']) Reflect.deleteProperty(all, `${name}.url`);
    for (const name of ['historyDays', 'historyRowsPerNamespace', 'recoverableSecrets'])
      Reflect.deleteProperty(all, `settings.${name}`);
  }
  if (all['netbox.url'] !== undefined) all['zonePools'] = 'claims';
  for (const name of ['netbox', 'splunk']) if (all[`${name}.url`] !== undefined) all[`${name}.tokenSecret`] ??= 'token';
}

function suitVips(all: Record<string, Json>): void {
  // a default zone serves those without a class
  Reflect.deleteProperty(all, 'vips.classless');
  if (all['vips.migration'] === true) all['vips.enabled'] = true;
  // either door has pools
  if (all['clusterApi.enabled'] === true && all['networks.enabled'] !== true) all['vips.enabled'] = true;
}

function suitNetworks(all: Record<string, Json>): void {
  if (all['networks.grpc.enabled'] !== true) return;
  all['networks.enabled'] = true;
  if (all['certificates'] === 'self-managed') all['networks.grpc.certificateSecret'] = 'own';
}

/** Takes from values what is possible together: the rest is refused by chart and constructs alike, which other tests prove. */
function fitting(chosen: Readonly<Record<string, Json>>): Values {
  const all = { ...chosen };
  all['services.defaultZone'] = 'zones' in all ? 'lan' : 'example';
  all['clusterFamilies'] = ['IPv4', 'IPv6'];
  suitVips(all);
  suitNetworks(all);
  if (all['whenUnavailable'] === 'admit') all['zonePools'] = 'claims';
  if (all['services.enabled'] === false) all['ipamApi.expose.enabled'] = true;
  if (all['ipamApi.expose.enabled'] === true && all['certificates'] === 'self-managed') {
    all['ipamApi.expose.certificateSecret'] = 'own';
  }
  suitRelatedSystems(all);
  for (const path of withoutEffect(all)) Reflect.deleteProperty(all, path);
  if (all['store.kind'] !== 'remote') return tree(all);
  return tree({
    ...all,
    'services.enabled': true,
    'ipamApi.expose.enabled': false,
    'store.remote.url': all['store.remote.url'] ?? 'https://ipam.example.net:8443',
    'store.remote.tokenSecret': tokenOf(all),
  });
}

const rounds = new Map<number, HelmRun>();

/** Gives every value a wrong one at once, each time the next one that it has: the schema names all places. */
function everyWrongValue(round: number): HelmRun {
  const entries = Object.entries(CHART_SAMPLES).filter(([, { wrong }]) => round < wrong.length);
  const run =
    rounds.get(round) ??
    rendered.template(tree(Object.fromEntries(entries.map(([path, { wrong }]) => [path, wrong[round] ?? null]))));
  rounds.set(round, run);
  return run;
}

beforeAll(() => {
  rendered = new RenderedChart();
}, 900_000);

afterAll(() => {
  rendered.remove();
});

describe('the Helm chart', () => {
  test('passes helm lint without a warning', () => {
    const { status, stdout } = runHelm(['lint', '--strict', rendered.chart]);
    expect({ status, warnings: stdout.match(/\[(WARNING|ERROR)\].*/g) }).toEqual({ status: 0, warnings: null });
  });

  test('with its defaults renders the objects of the constructs, one by one', () => {
    expect(comparable(templated({}))).toEqual(comparable(orderedObjects(installation())));
  });

  test('has a sample here for every value, and a default that values.yaml and the samples agree on', () => {
    expect(Object.keys(CHART_SAMPLES).toSorted()).toEqual(PATHS.toSorted());
    expect(parse(readFileSync(join(rendered.chart, 'values.yaml'), 'utf8'))).toEqual(DEFAULTS);
    for (const path of PATHS) expect(CHART_SAMPLES[path]?.value).not.toEqual(valueIn(DEFAULTS, path));
  });

  test.each(Object.entries(CHART_SAMPLES))(
    '%s: another value changes what the constructs would change, and nothing else',
    (path, { value, with: others = {}, instead, before: beside = others }) => {
      const values = tree({ ...others, [path]: value });
      const objects = comparable(templated(values));
      expect(objects).toEqual(comparable(synthesized(values)));
      const { [path]: _own, ...before } = { ...beside, [path]: value };
      const other = instead === undefined ? before : { ...before, [path]: instead };
      expect(objects).not.toEqual(comparable(synthesized(tree(other))));
    },
  );

  test.each(['sqlite', 'postgres', 'remote'])(
    'renders what the constructs would with every value changed at once, with the store %s',
    (kind) => {
      // what takes objects away is left, so that the others have something to change
      const takesAway = ['createNamespace', 'networkPolicy.enabled', 'crds.install', 'services.enabled'];
      const left = [...takesAway, 'topologySpread.enabled', 'ipamApi.expose.certificateSecret', 'certificates'];
      const entries = Object.entries(CHART_SAMPLES).filter(([path]) => !left.includes(path));
      const values = fitting({
        ...Object.fromEntries(entries.map(([path, { value }]) => [path, value])),
        'store.kind': kind,
      });
      expect(comparable(templated(values))).toEqual(comparable(synthesized(values)));
    },
  );

  test.each<readonly [string, Readonly<Record<string, Json>>]>([
    ['several Pods', {}],
    ['one Pod', { 'store.objects.replicas': 1 }],
    ['classes of its own and no other Service', { 'vips.loadBalancerClasses': ['a/b', 'c/d'] }],
    ['Services without a class alone', { 'vips.loadBalancerClasses': [], 'vips.classless': true }],
    ['definitions of others', { 'crds.install': false }],
    ['definitions that go with the release', { 'crds.keep': false }],
    ['its own CA, for nothing', { certificates: 'self-managed' }],
    ['every part for monitoring, on OpenShift', { platform: 'openshift', 'monitoring.dashboard.enabled': true }],
  ])('renders what the constructs would of the VIPs door alone, with %s', (_what, others) => {
    const values = tree({
      'store.kind': 'objects',
      'services.enabled': false,
      'vips.enabled': true,
      zones: [],
      ...others,
    });
    const objects = templated(values);
    expect(comparable(objects)).toEqual(comparable(synthesized(values)));
    const without = ['PersistentVolumeClaim', 'ConfigMap', 'Certificate', 'Issuer', 'IPAddressPool'];
    const kinds = objects.map(({ kind, metadata }) => (metadata.name.includes('dashboard') ? 'dashboard' : kind));
    expect(kinds.filter((kind) => without.includes(kind))).toEqual([]);
  });

  test.each<readonly [string, Readonly<Record<string, Json>>]>([
    ['several Pods', {}],
    ['one Pod', { 'store.objects.replicas': 1 }],
    ['the VIPs door beside it', { 'vips.enabled': true }],
    ['claims of Cluster API', { 'clusterApi.enabled': true }],
    ['gRPC calls', { 'networks.grpc.enabled': true }],
    ['gRPC calls and an IPAM-API that another issuer certifies', BESIDE_FOREIGN_ISSUER],
    ['the VIPs door and claims of Cluster API', { 'vips.enabled': true, 'clusterApi.enabled': true }],
    ['definitions of others', { 'crds.install': false }],
    ['definitions that go with the release', { 'crds.keep': false }],
  ])('renders what the constructs would of the Networks door alone, with %s', (_what, others) => {
    const alone = { 'store.kind': 'objects', 'services.enabled': false, 'networks.enabled': true, zones: [] };
    const values = tree({ ...alone, ...others });
    expect(comparable(templated(values))).toEqual(comparable(synthesized(values)));
  });

  test.each<readonly [string, Readonly<Record<string, Json>>]>([
    ['Services', {}],
    ['Services and Egress', { 'egress.enabled': true }],
    ['Egress alone', { 'egress.enabled': true, ...ALONE }],
    ['VIPs alone', { 'vips.enabled': true, ...ALONE }],
    [
      'gRPC calls',
      { 'networks.enabled': true, 'networks.grpc.enabled': true, 'networks.grpc.certificateSecret': 'grpc' },
    ],
    ['an IPAM-API alone', { 'services.enabled': false, ...API_OF_OTHER_ISSUER }],
  ])('renders what the constructs would of metrics over HTTPS beside %s', (_what, doors) => {
    const certificates = [{}, { certificates: 'self-managed' }, { 'monitoring.secure.certificateSecret': 'own' }];
    const readers = [
      { 'networkPolicy.monitoringNamespaces': ['prometheus'] },
      { 'monitoring.serviceMonitor.enabled': true },
      { 'monitoring.serviceMonitor.enabled': true, 'monitoring.serviceMonitor.tokenSecret': 'scraper' },
    ];
    for (const by of certificates) {
      for (const reader of readers) {
        const values = tree({ 'monitoring.secure.enabled': true, ...doors, ...by, ...reader });
        expect(comparable(templated(values))).toEqual(comparable(synthesized(values)));
      }
    }
  });

  test('renders what the constructs would with any values changed together', () => {
    const entries = Object.entries(CHART_SAMPLES);
    const kinds = fc.constantFrom('sqlite', 'postgres', 'remote');
    fc.assert(
      fc.property(fc.subarray(entries, { minLength: 2 }), kinds, (chosen, kind) => {
        const byPath = Object.fromEntries(chosen.map(([path, { value }]) => [path, value]));
        const values = fitting({ ...byPath, 'store.kind': kind });
        expect(comparable(templated(values))).toEqual(comparable(synthesized(values)));
      }),
      { numRuns: 40 },
    );
  });

  test.each(Object.entries(CHART_SAMPLES))(
    '%s: the schema refuses wrong values and names the path',
    (path, { wrong }) => {
      for (const [round, value] of wrong.entries()) {
        const { status, stderr } = everyWrongValue(round);
        const place = `- at '/${path.replaceAll('.', '/')}`;
        const named = stderr.split('\n').some((line) => [`${place}'`, `${place}/`].some((each) => line.includes(each)));
        expect({ value, status, named }).toEqual({ value, status: 1, named: true });
      }
    },
  );

  test('refuses keys that it does not know, in every map of its own', () => {
    const groups = [
      ...new Set(['', ...PATHS.flatMap((path) => path.split('.').map((_, i, all) => all.slice(0, i).join('.')))]),
    ];
    const places = groups.map((group) => (group === '' ? 'mistyped' : `${group}.mistyped`));
    const { status, stderr } = rendered.template(tree(Object.fromEntries(places.map((place) => [place, 'x']))));
    expect(status).toBe(1);
    for (const group of groups) {
      const place = group === '' ? '' : `/${group.replaceAll('.', '/')}`;
      expect(stderr).toContain(`- at '${place}': additional properties 'mistyped' not allowed`);
    }
  });

  test('refuses a default that was taken out, since templates would write nothing in its place', () => {
    const { status, stderr } = rendered.template({ logLevel: null });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('logLevel') as unknown });
  });

  test('takes the `global` that Helm hands to a part of another chart', () => {
    expect(templated({ global: { any: 'thing' } }).length).toBeGreaterThan(0);
  });

  test('writes the same objects from a release in any namespace, since each names its own', () => {
    expect(templated({}, '--namespace', 'elsewhere')).toEqual(templated({}));
    const other = templated({}, '--namespace', 'ipam-system');
    expect(other).toEqual(templated({}).filter(({ kind }) => kind !== 'Namespace'));
  });

  test('leaves the namespace to Helm where the release itself is in it', () => {
    const kinds = (...words: readonly string[]): readonly string[] => templated({}, ...words).map(({ kind }) => kind);
    expect(kinds()).toContain('Namespace');
    expect(kinds('--namespace', 'ipam-system')).not.toContain('Namespace');
  });

  test('FU-62 keeps its definitions among the templates, where an upgrade reaches them, and pools and volume when the release goes', () => {
    expect(readdirSync(rendered.chart).toSorted()).toEqual([
      'Chart.yaml',
      'README.md',
      'templates',
      'values.schema.json',
      'values.yaml',
    ]);
    const lasting = /^(CustomResourceDefinition|Namespace|PersistentVolumeClaim|IPAddressPool|L2Advertisement)$/u;
    const kept = templated({}).filter(({ kind }) => lasting.test(kind));
    expect(new Set(kept.map(({ kind }) => kind)).size).toBe(5);
    expect(kept.map(({ metadata }) => metadata['annotations'])).toEqual(
      kept.map(() => expect.objectContaining({ 'helm.sh/resource-policy': 'keep' }) as unknown),
    );
  });
});

describe('the notes of the Helm chart', () => {
  // helm prints notes at an installation only, so a copy of the chart makes an object of them
  const notes = (values: Values, ...words: readonly string[]): string => {
    const file = rendered.valuesFile(values);
    const copy = `${file}-noted`;
    cpSync(rendered.chart, copy, { recursive: true });
    const object = 'notes: {{ include (print $.Template.BasePath "/NOTES.txt") . | toJson }}\n';
    writeFileSync(join(copy, 'templates/noted.yaml'), object);
    const { stdout } = runHelm(['template', 'ipam', copy, '--values', file, '-s', 'templates/noted.yaml', ...words]);
    return (parse(stdout) as { readonly notes: string }).notes;
  };

  test('list the zones, and say that the example is one', () => {
    expect(notes({})).toContain('example: 192.0.2.0/24');
    expect(notes({})).toContain('The zone "example" is a placeholder');
    const own = notes({ zones: [{ name: 'lan', prefixes: ['10.0.0.0/8'] }], services: { defaultZone: 'lan' } });
    expect(own).toContain('lan: 10.0.0.0/8');
    expect(own).toContain('gets an address of lan');
    expect(own).not.toContain('placeholder');
  });

  test('say where the objects are, and name the Secrets that have to be there', () => {
    expect(notes({}, '--namespace', 'elsewhere')).toContain("elsewhere holds only Helm's record of the release");
    expect(notes({})).not.toContain('Secrets');
    const shared = tree({
      'store.kind': 'postgres',
      'store.postgres.caSecret': 'db-ca',
      'ipamApi.expose.enabled': true,
    });
    expect(notes(shared)).toContain('once ipam-system has these Secrets: ipam-postgres, db-ca.');
    expect(notes(shared)).toContain('Service ipam-api, port 443, over TLS');
    expect(notes(tree({ 'services.enabled': false, 'ipamApi.expose.enabled': true }))).toContain('are not served');
    const alone = { 'store.kind': 'objects', 'services.enabled': false, 'vips.enabled': true, zones: [] };
    expect(notes(tree(alone))).toContain('get addresses of IPGroups');
    expect(notes(tree(alone))).not.toMatch(/zones|volume|webhooks|MetalLB/u);
    const networks = { ...alone, 'vips.enabled': false, 'networks.enabled': true };
    expect(notes(tree(networks))).toContain('IPAllocations of ipam.nephio.org are served');
    expect(notes(tree(networks))).not.toMatch(/IPGroups|zones|volume|webhooks|MetalLB/u);
  });

  test('ask for the labels of a namespace that Helm has made', () => {
    expect(notes({}, '--namespace', 'ipam-system')).toContain('kubectl label namespace ipam-system');
    expect(notes({})).not.toContain('kubectl label');
  });
});
