import { Chart, Testing } from 'cdk8s';

import { IpamOperator, type IpamOperatorProps } from '../../constructs';
import type { Settings } from '../../operator/settings/options';
import { parseSettings } from '../../operator/settings/parse-settings';

/** A manifest of any kind, read by path. */
export type Json = { readonly [key: string]: Json } & readonly Json[] & string;

/** Two zones without a mistake. */
export const zones: NonNullable<IpamOperatorProps['zones']> = [
  { name: 'hnet-private', prefixes: ['172.16.0.0/24'], excluded: ['172.16.0.0'] },
  { name: 'inet', prefixes: ['2a05:1234::/112', '83.118.168.0/24'] },
];

/** Synthesizes an operator in a chart with a namespace, which cdk8s stamps on all that says nothing of it. */
export function synthesized(props: Partial<IpamOperatorProps> = {}): readonly Json[] {
  const app = Testing.app();
  const chart = new Chart(app, 'chart', { namespace: 'stamped', labels: { team: 'net' } });
  new IpamOperator(chart, 'operator', { zones, ...props });
  return Testing.synth(chart) as Json[];
}

/** Finds the only object of a kind, or of a kind and a name. */
export function one(objects: readonly Json[], kind: string, name?: string): Json {
  const found = objects.filter(
    (object) => object['kind'] === kind && (name === undefined || object['metadata']?.['name'] === name),
  );
  const [first] = found;
  if (first === undefined || found.length > 1) throw new RangeError(`${String(found.length)} of ${kind} ${name ?? ''}`);
  return first;
}

/** Names of all objects of a kind, in their order. */
export const namesOf = (objects: readonly Json[], kind: string): (string | undefined)[] =>
  objects.filter((object) => object['kind'] === kind).map((object) => object['metadata']?.['name']);

/** Every key of every map in a value. */
export function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
}

/** Spec of the operator's Pods. */
export const podOf = (objects: readonly Json[]): Json =>
  one(objects, 'Deployment')['spec']?.['template']?.['spec'] as unknown as Json;

/** The only container of the operator's Pods. */
export const containerOf = (objects: readonly Json[]): Json => podOf(objects)['containers']?.[0] as unknown as Json;

/** Reference of the operator's image. */
export const imageOf = (objects: readonly Json[]): string => containerOf(objects)['image'] as unknown as string;

/** Arguments of the operator. */
export const argumentsOf = (objects: readonly Json[]): readonly string[] =>
  containerOf(objects)['args'] as unknown as string[];

/** The settings that the operator makes of its arguments. */
export function settingsOf(objects: readonly Json[]): Settings {
  const parsed = parseSettings({ argv: argumentsOf(objects), env: {} });
  if (!parsed.ok) throw new TypeError(parsed.problems.map(({ message }) => message).join('\n'));
  return parsed.value;
}

/** Files that the Pod holds by its volumes of Secrets, each with its Secret. */
export function secretFiles(objects: readonly Json[]): Record<string, string> {
  const paths = new Map<string, string>(
    containerOf(objects)['volumeMounts']!.map((mount) => [String(mount['name']), String(mount['mountPath'])]),
  );
  return Object.fromEntries(
    podOf(objects)['volumes']!.flatMap((volume) =>
      (volume['secret']?.['items'] ?? []).map((item) => [
        `${String(paths.get(String(volume['name'])))}/${String(item['path'])}`,
        `${String(volume['secret']?.['secretName'])}/${String(item['key'])}`,
      ]),
    ),
  );
}

/** A rule of a role. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Every rule of every role of an installation, by the name of its role. */
export function rulesOf(props: Partial<IpamOperatorProps> = {}): Record<string, readonly Rule[]> {
  const roles = synthesized(props).filter((object) => ['Role', 'ClusterRole'].includes(object['kind']!));
  return Object.fromEntries(
    roles.map((role) => [
      `${String(role['kind'])} ${String(role['metadata']!['name'])}`,
      role['rules'] as unknown as Rule[],
    ]),
  );
}

const postgres: Partial<IpamOperatorProps> = { store: { postgres: { connection: { name: 'dsn' } } } };

const remote: Partial<IpamOperatorProps> = {
  store: { remote: { url: 'https://ipam.example', token: { name: 'token' } } },
};

/** The VIPs door alone, with its record in the cluster. */
export const VIPS_ALONE: Partial<IpamOperatorProps> = {
  zones: [],
  services: { enabled: false },
  vips: { enabled: true },
};

/** The Networks door alone, with its record in the cluster. */
export const NETWORKS_ALONE: Partial<IpamOperatorProps> = {
  zones: [],
  services: { enabled: false },
  networks: { enabled: true },
};

/** An installation of each store, with every kind of certificates and pools, and three without Services of zones. */
export const EVERY_SHAPE: readonly Partial<IpamOperatorProps>[] = [
  {},
  { ...postgres, zonePools: 'claims', whenUnavailable: 'admit' },
  { ...remote, certificates: 'self-managed' },
  { services: { enabled: false }, ipamApi: { expose: {} } },
  VIPS_ALONE,
  NETWORKS_ALONE,
];
