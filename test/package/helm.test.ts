import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse, parseAllDocuments } from 'yaml';

import { joinedProps } from '../../constructs/render/helm';
import { realReader, valueIn, type Json } from '../../constructs/render/helm/value-reader';
import { defaultValues } from '../../constructs/render/helm/values-files';
import { CHART_VALUES } from '../../constructs/render/installation/chart-values';
import { installation, type InstallationProps } from '../../constructs/render/installation/installation';
import { writeManifests } from '../../constructs/render/manifests';
import { identityOf, orderedObjects, type ApiManifest } from '../../constructs/render/objects';
import { helmBinary, runHelm, type HelmRun } from '../support/helm';
import { CHART_SAMPLES, type ChartSample } from '../support/helm-samples';

type Values = { readonly [key: string]: Json };

const DEFAULTS = defaultValues(CHART_VALUES) as Values;
const paths = CHART_VALUES.map(({ path }) => path);
/** Both stores cannot be used at once, so "everything changed" is two cases. */
const OF_POSTGRES = paths.filter((path) => path === 'store.kind' || path.startsWith('store.postgres'));
const OF_SQLITE = paths.filter((path) => path.startsWith('store.sqlite'));

/** A tree of values with one of them at another value. */
function changed(values: Values, path: string, value: Json): Values {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...values, [first]: value };
  return { ...values, [first]: changed((values[first] ?? {}) as Values, rest.join('.'), value) };
}

const sampled = (path: string, { value, with: others = {} }: ChartSample): Values =>
  Object.entries({ ...others, [path]: value }).reduce<Values>((all, [at, each]) => changed(all, at, each), {});
const overDefaults = (values: Json, path = ''): Values =>
  paths.reduce(
    (all, at) => {
      const value = valueIn(values, at);
      return value === undefined ? all : changed(all, at, value);
    },
    path === '' ? DEFAULTS : {},
  );

/** What the constructs make of the values of a release. */
function synthesized(values: Values): readonly ApiManifest[] {
  const all = overDefaults(values);
  const props = CHART_VALUES.map((value) => value.props(valueIn(all, value.path) ?? null, realReader(all)));
  return orderedObjects(installation(joinedProps<InstallationProps>(props)));
}

/** Brings to one form what may be said in several: YAML inside of a text, and lists whose order says nothing. */
function comparable(objects: readonly ApiManifest[]): ReadonlyMap<string, unknown> {
  const entries = objects.map((object): readonly [string, unknown] => {
    const { data, spec } = object as { data?: Record<string, string>; spec?: { addresses?: string[] } };
    const zones = data?.['zones.yaml'];
    if (zones !== undefined) return [identityOf(object), { ...object, data: { zones: parse(zones) as unknown } }];
    if (object.kind !== 'IPAddressPool') return [identityOf(object), object];
    return [identityOf(object), { ...object, spec: { ...spec, addresses: spec?.addresses?.toSorted() } }];
  });
  return new Map(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

let folder = '';
let chart = '';
let runs = 0;

function template(values: Values, ...words: readonly string[]): HelmRun {
  const file = join(folder, `values-${String((runs += 1))}.json`);
  writeFileSync(file, JSON.stringify(values));
  return runHelm(['template', 'ipam', chart, '--values', file, ...words]);
}

function templated(values: Values, ...words: readonly string[]): readonly ApiManifest[] {
  const { status, stdout, stderr } = template(values, ...words);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return parseAllDocuments(stdout, { version: '1.1', uniqueKeys: true })
    .map((document) => document.toJS() as ApiManifest | null)
    .filter((object) => object !== null);
}

beforeAll(() => {
  helmBinary();
  folder = mkdtempSync(join(tmpdir(), 'ipam-helm-'));
  writeManifests(join(folder, 'manifests'));
  chart = join(folder, 'manifests/charts/cdk8s-ipam');
}, 900_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the Helm chart', () => {
  test('passes helm lint without a warning', () => {
    const { status, stdout } = runHelm(['lint', '--strict', chart]);
    expect({ status, warnings: stdout.match(/\[(WARNING|ERROR)\].*/g) }).toEqual({ status: 0, warnings: null });
  });

  test('with its defaults renders the objects of the constructs, one by one', () => {
    expect(comparable(templated({}))).toEqual(comparable(orderedObjects(installation())));
  });

  test('has a sample here for every value, and a default that values.yaml and the samples agree on', () => {
    expect(Object.keys(CHART_SAMPLES).toSorted()).toEqual(paths.toSorted());
    expect(parse(readFileSync(join(chart, 'values.yaml'), 'utf8'))).toEqual(DEFAULTS);
    for (const path of paths) expect(CHART_SAMPLES[path]?.value).not.toEqual(valueIn(DEFAULTS, path));
  });

  test.each(Object.entries(CHART_SAMPLES))(
    '%s: another value changes what the constructs would change, and nothing else',
    (path, sample) => {
      const values = sampled(path, sample);
      const objects = comparable(templated(values));
      expect(objects).toEqual(comparable(synthesized(values)));
      const { [path]: _own, ...others } = { ...sample.with, [path]: sample.value };
      const before = Object.entries(others).reduce<Values>((all, [at, each]) => changed(all, at, each), {});
      expect(objects).not.toEqual(comparable(synthesized(before)));
    },
    30_000,
  );

  test.each([
    ['with SQLite', OF_POSTGRES],
    ['with PostgreSQL', OF_SQLITE],
  ])('renders what the constructs would with every value changed at once, %s', (_name, left) => {
    const values = Object.entries(CHART_SAMPLES)
      // what takes objects away is left, so that the others have something to change
      .filter(([path]) => !left.includes(path) && !['createNamespace', 'networkPolicy.enabled'].includes(path))
      .filter(([path]) => !['clusterFamilies', 'crds.install', 'defaultZone'].includes(path))
      .reduce<Values>((all, [path, { value }]) => changed(all, path, value), { defaultZone: 'lan' });
    expect(comparable(templated(values))).toEqual(comparable(synthesized(values)));
  });

  test('renders what the constructs would with any values changed together', () => {
    const entries = Object.entries(CHART_SAMPLES);
    fc.assert(
      fc.property(fc.subarray(entries, { minLength: 2 }), (chosen) => {
        const values = chosen.reduce<Values>((all, [path, sample]) => changed(all, path, sample.value), {});
        // what fits the zones: others are refused by both, which is another test
        const ours = 'zones' in values;
        const fitting = { ...values, defaultZone: ours ? 'lan' : 'example', clusterFamilies: ['IPv4', 'IPv6'] };
        expect(comparable(templated(fitting))).toEqual(comparable(synthesized(fitting)));
      }),
      { numRuns: 30 },
    );
  }, 60_000);

  test.each(Object.entries(CHART_SAMPLES))(
    '%s: the schema refuses wrong values and names the path',
    (path, { wrong }) => {
      for (const value of wrong) {
        const { status, stderr } = template(changed({}, path, value));
        expect({ value, status, stderr }).toEqual({
          value,
          status: 1,
          stderr: expect.stringContaining(path.replaceAll('.', '/')) as unknown,
        });
      }
    },
    60_000,
  );

  test('refuses keys that it does not know, in every map of its own', () => {
    const groups = new Set([
      '',
      ...paths.flatMap((path) => path.split('.').map((_, i, all) => all.slice(0, i).join('.'))),
    ]);
    for (const group of groups) {
      const { status, stderr } = template(changed({}, group === '' ? 'mistyped' : `${group}.mistyped`, 'x'));
      expect({ group, status, stderr }).toEqual({
        group,
        status: 1,
        stderr: expect.stringContaining('mistyped') as unknown,
      });
    }
  }, 60_000);

  test('refuses a default that was taken out, since templates would write nothing in its place', () => {
    const { status, stderr } = template({ logLevel: null });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('logLevel') as unknown });
  });

  test('takes the `global` that Helm hands to a part of another chart', () => {
    expect(templated({ global: { any: 'thing' } }).length).toBeGreaterThan(0);
  });

  test('refuses a zone that the cluster has no family for, in the words of the constructs', () => {
    const values = { zones: [{ name: 'six', prefixes: ['2001:db8::/64'] }], clusterFamilies: ['IPv4'] };
    const { status, stderr } = template(values);
    expect(status).toBe(1);
    const words = /zone "six" has no prefix that this cluster can use: [^\n]*remove the zone/;
    expect(() => synthesized(values)).toThrow(words);
    expect(stderr).toMatch(words);
  });

  test('leaves the namespace to Helm where the release itself is in it', () => {
    const kinds = (...words: readonly string[]): readonly string[] => templated({}, ...words).map(({ kind }) => kind);
    expect(kinds()).toContain('Namespace');
    expect(kinds('--namespace', 'ipam-system')).not.toContain('Namespace');
  });

  test('keeps its definitions among the templates, where an upgrade reaches them', () => {
    expect(readdirSync(chart).toSorted()).toEqual([
      'Chart.yaml',
      'README.md',
      'templates',
      'values.schema.json',
      'values.yaml',
    ]);
    const kept = templated({}).filter(({ kind }) => kind === 'CustomResourceDefinition');
    expect(kept.map(({ metadata }) => metadata['annotations'])).toEqual(
      kept.map(() => expect.objectContaining({ 'helm.sh/resource-policy': 'keep' }) as unknown),
    );
  });
});

describe('the notes of the Helm chart', () => {
  // helm prints notes at an installation only, so a copy of the chart makes an object of them
  const notes = (values: Values, ...words: readonly string[]): string => {
    const copy = join(folder, `noted-${String((runs += 1))}`);
    cpSync(chart, copy, { recursive: true });
    const object = 'notes: {{ include (print $.Template.BasePath "/NOTES.txt") . | toJson }}\n';
    writeFileSync(join(copy, 'templates/noted.yaml'), object);
    const file = join(folder, `values-${String(runs)}.json`);
    writeFileSync(file, JSON.stringify(values));
    const { stdout } = runHelm(['template', 'ipam', copy, '--values', file, '-s', 'templates/noted.yaml', ...words]);
    return (parse(stdout) as { readonly notes: string }).notes;
  };

  test('list the zones, and say that the example is one', () => {
    expect(notes({})).toContain('example: 192.0.2.0/24');
    expect(notes({})).toContain('The zone "example" is a placeholder');
    const own = notes({ zones: [{ name: 'lan', prefixes: ['10.0.0.0/8'] }], defaultZone: 'lan' });
    expect(own).toContain('lan: 10.0.0.0/8');
    expect(own).toContain('gets an address of lan');
    expect(own).not.toContain('placeholder');
  });

  test('ask for the labels of a namespace that Helm has made', () => {
    expect(notes({}, '--namespace', 'ipam-system')).toContain('kubectl label namespace ipam-system');
    expect(notes({})).not.toContain('kubectl label');
  });
});
