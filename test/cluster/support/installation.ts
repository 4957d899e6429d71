import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart } from 'cdk8s';
import { IpamOperator, type IpamOperatorProps } from '../../../constructs';
import { objectsIn, type Manifest } from './cluster-client';
import type { ControlPlane } from './control-plane';

/** Zones of an installation that names none: two families each, small enough to run dry in a test. */
const CLUSTER_ZONES: NonNullable<IpamOperatorProps['zones']> = [
  { name: 'hnet-private', prefixes: ['172.16.0.0/24', 'fd00:172:16::/112'] },
  { name: 'inet', prefixes: ['83.118.168.0/24', '2a05:1234::/112'] },
];

// What the zones of most tests are for has nothing to do with edges, so the first address is the lowest one.
function withEdges(zones: NonNullable<IpamOperatorProps['zones']>): NonNullable<IpamOperatorProps['zones']> {
  return zones.map((zone) => ({ edgeAddresses: 'use', ...zone }));
}

// An installation whose doors have no zones has none, unless a test names some.
const isWithoutZones = ({ zones, services, ...doors }: Partial<IpamOperatorProps>): boolean =>
  zones === undefined &&
  services?.enabled === false &&
  [doors.vips, doors.networks, doors.egress].some((door) => door?.enabled === true);

/** YAML as `cdk8s synth` writes it. */
export interface SynthesizedYaml {
  readonly file: string;
  readonly text: string;
  readonly objects: readonly Manifest[];
}

/** Synthesizes an installation into a folder. */
export function synthesizedYaml(folder: string, props: Partial<IpamOperatorProps> = {}): SynthesizedYaml {
  const outdir = mkdtempSync(join(folder, 'synth-'));
  const app = new App({ outdir });
  new IpamOperator(new Chart(app, 'ipam'), 'operator', {
    ...props,
    ...(isWithoutZones(props) ? {} : { zones: withEdges(props.zones ?? CLUSTER_ZONES) }),
  });
  app.synth();
  const file = join(outdir, 'ipam.k8s.yaml');
  const text = readFileSync(file, 'utf8');
  return { file, text, objects: objectsIn(text) };
}

/**
 * Applies an installation as a user does: the synthesized file, unchanged, by `kubectl apply --server-side`. MetalLB, and
 * cert-manager unless the props say otherwise, have to be there.
 */
export async function applyInstallation(
  plane: ControlPlane,
  props: Partial<IpamOperatorProps> = {},
): Promise<SynthesizedYaml> {
  const yaml = synthesizedYaml(plane.folder, props);
  await plane.kubectl('apply', '--server-side', '--force-conflicts', '-f', yaml.file);
  return yaml;
}

/** Asks the API server for a token of a ServiceAccount, as a kubelet does for a Pod. */
export async function tokenFor(
  plane: ControlPlane,
  namespace: string,
  serviceAccount: string | { readonly name: string; readonly audience: string },
): Promise<string> {
  const { name, audience }: { readonly name: string; readonly audience?: string } =
    typeof serviceAccount === 'string' ? { name: serviceAccount } : serviceAccount;
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 86_400, ...(audience === undefined ? {} : { audiences: [audience] }) },
  };
  const { status } = await plane.client.request('POST', path, request);
  return String(status?.['token']);
}
