import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../../support/free-ports';
import { crdsFolder, type Component } from '../components/recipes';
import { binaryPath } from './binaries';
import { objectsIn, type Manifest } from './cluster-client';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';
import { startProgram, type OwnProcess } from './own-process';

const METALLB = 'metallb-system';

/** The kinds that a program brings. */
const crdsOf = (component: Component): readonly Manifest[] =>
  readdirSync(crdsFolder(component)).flatMap((name) =>
    objectsIn(readFileSync(join(crdsFolder(component), name), 'utf8')),
  );

const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

async function isReady(port: number): Promise<boolean> {
  return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
}

/** Applies MetalLB's kinds and makes its namespace; enough where nothing is to be assigned. */
export async function installMetalLbKinds({ client }: ControlPlane): Promise<void> {
  await client.apply([...crdsOf('metallb-controller'), namespace(METALLB)]);
}

/** Starts MetalLB's controller, which assigns addresses; the speakers, which announce them, are left out. */
export async function startMetalLb(plane: ControlPlane): Promise<OwnProcess> {
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
    args: [
      ...[`--kubeconfig=${plane.kubeconfigOfComponent('metallb')}`, `--namespace=${METALLB}`],
      ...['--pod-name=metallb-controller', '--webhook-mode=disabled', '--disable-cert-rotation'],
      ...[`--port=${metrics}`, `--health-probe-port=${probes}`],
    ],
  });
  plane.onStop(() => controller.stop());
  await eventually(() => {
    controller.expectRunning();
    return isReady(probes);
  });
  return controller;
}

/** Applies cert-manager's kinds; enough where nothing is to be issued. */
export async function installCertManagerKinds({ client }: ControlPlane): Promise<void> {
  await client.apply([...crdsOf('cert-manager'), namespace('cert-manager')]);
}

/** Starts cert-manager with its CA injector. */
export async function startCertManager(plane: ControlPlane): Promise<OwnProcess> {
  await installCertManagerKinds(plane);
  const program = await startProgram({
    program: binaryPath('cert-manager'),
    logFile: join(plane.folder, 'cert-manager.log'),
    args: [`--kubeconfig=${plane.kubeconfigOfComponent('cert-manager')}`],
  });
  plane.onStop(() => program.stop());
  return program;
}
