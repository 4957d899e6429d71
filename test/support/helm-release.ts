import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

import { joinedProps } from '../../constructs/render/helm/helm-templates';
import type { Json, ValueReader } from '../../constructs/render/helm/value-reader';
import { CHART_VALUES } from '../../constructs/render/installation/chart-values';
import { installation, type InstallationProps } from '../../constructs/render/installation/installation';
import { writeManifests } from '../../constructs/render/manifests';
import { orderedObjects, type ApiManifest } from '../../constructs/render/objects/ordered-objects';
import { isMap } from '../../operator/contract/loose-json';
import { helmBinary, runHelm, type HelmRun } from './helm';

/** Values of a release, as a file of its user has them. */
export type Values = { readonly [key: string]: Json };

/** Every value of the chart. */
export const PATHS = CHART_VALUES.map(({ path }) => path);

/** A tree of values with one of them at another value. */
export function changed(values: Values, path: string, value: Json): Values {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...values, [first]: value };
  return { ...values, [first]: changed((values[first] ?? {}) as Values, rest.join('.'), value) };
}

/** A tree of values from values by their paths. */
export const tree = (byPath: Readonly<Record<string, Json>>): Values =>
  Object.entries(byPath).reduce<Values>((all, [path, value]) => changed(all, path, value), {});

/** Content of values.yaml. */
export const DEFAULTS = tree(Object.fromEntries(CHART_VALUES.map(({ path, initial }) => [path, initial])));

/** One value in those of a release, undefined where there is none. */
export function valueIn(values: Json, path: string): Json | undefined {
  let place: Json | undefined = values;
  for (const part of path.split('.')) place = isMap(place) ? place[part] : undefined;
  return place;
}

/** A reader of the real values of a release, which must be complete. */
export function realReader(values: Json): ValueReader {
  const read = (path: string): never => valueIn(values, path) as never;
  return { text: read, number: read, boolean: read, items: read, entries: read, objects: read, object: read };
}

/** An object as the API server tells it from others, for example `v1/Service/ipam-system/ipam-webhook-service`. */
export function identityOf(object: ApiManifest): string {
  const { name, namespace = '' } = object.metadata;
  return `${object.apiVersion}/${object.kind}/${namespace}/${name}`;
}

/** Synthesizes the values of a release; throws the problems of synth. */
export function synthesized(values: Values): readonly ApiManifest[] {
  const all = PATHS.reduce((so, path) => {
    const value = valueIn(values, path);
    return value === undefined ? so : changed(so, path, value);
  }, DEFAULTS);
  const props = CHART_VALUES.map((value) => value.props(valueIn(all, value.path) ?? null, realReader(all)));
  return orderedObjects(installation(joinedProps<InstallationProps>(props)));
}

/** A rule of RBAC; what rules allow does not depend on how rights are put together. */
type PolicyRule = Readonly<
  Record<'apiGroups' | 'resources' | 'verbs' | 'resourceNames', readonly string[] | undefined>
>;

const rights = ({ apiGroups = [], resources = [], verbs = [], resourceNames = ['any'] }: PolicyRule): string[] =>
  apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      resourceNames.flatMap((name) => verbs.map((verb) => [group, resource, name, verb].join(' '))),
    ),
  );

// Flags, volumes, mounts and ports of a Pod are found by their names.
const UNORDERED = ['args', 'volumes', 'volumeMounts', 'ports'];

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    const items = sorted(inner);
    const any = UNORDERED.includes(key) && Array.isArray(items);
    return [key, any ? items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items] as const;
  });
  return Object.fromEntries(entries);
}

function unordered(object: ApiManifest): object {
  const { data, spec, rules } = object as {
    data?: Record<string, string>;
    spec?: { addresses?: string[] };
    rules?: readonly PolicyRule[];
  };
  const zones = data?.['zones.yaml'];
  if (zones !== undefined) return { ...object, data: { zones: parse(zones) as unknown } };
  if (rules !== undefined) return { ...object, rules: [...new Set(rules.flatMap(rights))].toSorted() };
  if (object.kind === 'IPAddressPool') return { ...object, spec: { ...spec, addresses: spec?.addresses?.toSorted() } };
  return object.kind === 'Deployment' ? { ...object, spec: sorted(spec) } : object;
}

/** Brings to one form what may be said in several: YAML inside of a text, and lists whose order says nothing. */
export function comparable(objects: readonly ApiManifest[]): ReadonlyMap<string, unknown> {
  const entries = objects.map((object) => [identityOf(object), unordered(object)] as const);
  return new Map(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A rendered chart in a folder of its own. */
export class RenderedChart {
  readonly folder: string;
  readonly chart: string;
  #runs = 0;

  /** Renders the chart, and builds helm where nobody has yet. */
  constructor() {
    helmBinary();
    this.folder = mkdtempSync(join(tmpdir(), 'ipam-helm-'));
    writeManifests(join(this.folder, 'manifests'));
    this.chart = join(this.folder, 'manifests/charts/cdk8s-ipam');
  }

  /** Writes values into a file; answers its path. */
  valuesFile(values: Values): string {
    const file = join(this.folder, `values-${String((this.#runs += 1))}.json`);
    writeFileSync(file, JSON.stringify(values));
    return file;
  }

  /** Runs `helm template`. */
  template(values: Values, ...words: readonly string[]): HelmRun {
    return runHelm(['template', 'ipam', this.chart, '--values', this.valuesFile(values), ...words]);
  }

  /** Lists what the chart's own checks say against values; empty where it is installed. */
  problems(values: Values): readonly string[] {
    const { status, stderr } = this.template(values);
    if (status === 0) return [];
    const [, list] = stderr.split('the values cannot be installed:\n');
    if (list === undefined) throw new RangeError(`helm failed for another reason: ${stderr}`);
    return list.split('\n').flatMap((line) => (line.startsWith('- ') ? [line.slice('- '.length)] : []));
  }

  /** Removes the folder. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
