import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../../support/free-ports';
import { crdsFolder, type Component } from '../components/recipes';
import { binaryPath } from './binaries';
import { objectsIn, type Manifest } from './cluster-client';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';
import { shortLived, startProgram, type OwnProcess } from './own-process';

const METALLB = 'metallb-system';
/** Their cluster ends with them. */
const NO_GRACE_MS = 0;

/** ACME is not in our cert-manager, and its kinds are a good part of all that an API server has to work through at its start. */
const UNUSED = /^acme\./u;

/** The kinds that a program brings. */
const crdsOf = (component: Component): readonly Manifest[] =>
  readdirSync(crdsFolder(component))
    .filter((name) => name.endsWith('.yaml') && !UNUSED.test(name))
    .flatMap((name) => objectsIn(readFileSync(join(crdsFolder(component), name), 'utf8')));

/** Makes a namespace, and all kinds at once: each is waited for until it is served. */
async function install({ client }: ControlPlane, component: Component, name: string): Promise<void> {
  await client.apply([namespace(name)]);
  await Promise.all(crdsOf(component).map((crd) => client.apply([crd])));
}

const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

interface KindManifest extends Manifest {
  readonly spec: { readonly versions: readonly { readonly name: string }[] };
}

/** Applies the kinds of Cluster API that claims of addresses need, as they are published, or with one version of them alone. */
export async function installClusterApiKinds({ client }: ControlPlane, version?: string): Promise<void> {
  const kinds = crdsOf('cluster-api').map((crd) =>
    version === undefined ? crd : ofVersion(crd as KindManifest, version),
  );
  await Promise.all(kinds.map((crd) => client.apply([crd])));
}

/** Applies the kinds of OpenShift that say what the cluster is, those of its SDN, and that of addresses in a cloud. */
export async function installOpenShiftKinds({ client }: ControlPlane): Promise<void> {
  await Promise.all(crdsOf('openshift-api').map((crd) => client.apply([crd])));
}

/** Applies the policies of Cilium as one version has them, over those of another one. */
export async function installCiliumKinds(
  { client }: ControlPlane,
  version: Extract<Component, 'cilium' | 'cilium-1.15'>,
): Promise<void> {
  await client.apply(crdsOf(version));
}

function ofVersion(crd: KindManifest, version: string): Manifest {
  const versions = crd.spec.versions.filter(({ name }) => name === version);
  return { ...crd, spec: { ...crd.spec, versions: versions.map((each) => ({ ...each, storage: true })) } };
}

async function isReady(port: number): Promise<boolean> {
  return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
}

/** Applies MetalLB's kinds and makes its namespace; enough where nothing is to be assigned. */
export async function installMetalLbKinds(plane: ControlPlane): Promise<void> {
  await install(plane, 'metallb-controller', METALLB);
}

/**
 * Starts MetalLB's controller, which assigns addresses; the speakers, which announce them, are left out.
 *
 * @param plane - the control plane
 * @param options - the class of Services that are served; none: those without one
 */
export async function startMetalLb(
  plane: ControlPlane,
  { lbClass }: { readonly lbClass?: string } = {},
): Promise<OwnProcess> {
  await installMetalLbKinds(plane);
  const [metrics = 0, probes = 0] = await freePorts(2);
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'metallb-controller', namespace: METALLB },
    spec: { containers: [{ name: 'controller', image: 'metallb' }] },
  };
  await plane.client.apply([pod]); // it owns what the controller writes
  const controller = await startProgram({
    program: binaryPath('metallb-controller'),
    logFile: join(plane.folder, 'metallb.log'),
    env: shortLived(),
    args: [
      ...[`--kubeconfig=${plane.kubeconfigOfComponent('metallb')}`, `--namespace=${METALLB}`],
      ...['--pod-name=metallb-controller', '--webhook-mode=disabled', '--disable-cert-rotation'],
      ...[`--port=${metrics}`, `--health-probe-port=${probes}`],
      ...(lbClass === undefined ? [] : [`--lb-class=${lbClass}`]),
    ],
  });
  plane.onStop(() => controller.stop(NO_GRACE_MS));
  await eventually(() => {
    controller.expectRunning();
    return isReady(probes);
  });
  return controller;
}

/** Applies cert-manager's kinds; enough where nothing is to be issued. */
export async function installCertManagerKinds(plane: ControlPlane): Promise<void> {
  await install(plane, 'cert-manager', 'cert-manager');
}

/** Starts cert-manager with its CA injector. */
export async function startCertManager(plane: ControlPlane): Promise<OwnProcess> {
  await installCertManagerKinds(plane);
  const program = await startProgram({
    program: binaryPath('cert-manager'),
    logFile: join(plane.folder, 'cert-manager.log'),
    env: shortLived(),
    args: [`--kubeconfig=${plane.kubeconfigOfComponent('cert-manager')}`],
  });
  plane.onStop(() => program.stop(NO_GRACE_MS));
  return program;
}
