import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Families } from '../../cluster/support/attached-cluster';
import { binaryPath } from '../../cluster/support/binaries';
import { conditionIs } from '../../cluster/support/cluster-client';
import type { ControlPlane } from '../../cluster/support/control-plane';
import { eventually } from '../../cluster/support/eventually';
import { startProgram, type OwnProcess } from '../../cluster/support/own-process';
import { curl, ip, MACHINES } from './lan';
import {
  containerdSettings,
  kubeletSettings,
  ofFamilies,
  proxySettings,
  socketOf,
  writeCni,
  type NodePlace,
  type ProxyMode,
} from './node-files';
import { POD_IMAGE, writePodImage } from './pod-image';

const CONTAINERD = '/usr/bin/containerd';
const PODS = '/api/v1/namespaces/test/pods';

/** A node of the cluster: containerd, kubelet and kube-proxy. */
export interface KubeNode {
  /** Runs a Pod that says over HTTP that it is this one; done when it is ready. */
  runPod(name: string): Promise<void>;
  /** Runs kube-proxy in a mode, in the place of the one that runs. */
  runProxy(mode: ProxyMode): Promise<void>;
}

/** kube-proxy on one machine. */
export class Proxy {
  readonly #place: NodePlace;
  readonly #machine: keyof typeof MACHINES;
  #running: OwnProcess | undefined;

  constructor(place: NodePlace, machine: keyof typeof MACHINES) {
    this.#place = place;
    this.#machine = machine;
  }

  async run(mode: ProxyMode): Promise<void> {
    await this.stop();
    const settings = proxySettings(this.#place, mode, this.#machine);
    const words = [binaryPath('kube-proxy'), `--config=${settings}`, '--v=2'];
    const [program = '', ...args] = this.#machine === 'node' ? words : ['ip', 'netns', 'exec', this.#machine, ...words];
    const logFile = join(this.#place.folder, `kube-proxy-${this.#machine}.log`);
    const running = await startProgram({ program, args, logFile });
    this.#running = running;
    await eventually(async () => {
      running.expectRunning();
      return (await curl('http://127.0.0.1:10249/proxyMode', this.#machine)).text === mode;
    });
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
  }
}

async function startContainerd(place: NodePlace): Promise<OwnProcess> {
  writeCni(place);
  const archive = writePodImage(place.folder);
  const running = await startProgram({
    program: CONTAINERD,
    args: ['--config', containerdSettings(place)],
    logFile: join(place.folder, 'containerd.log'),
  });
  const ctr = (...words: string[]): string =>
    execFileSync('ctr', ['-a', socketOf(place), '-n', 'k8s.io', ...words], { encoding: 'utf8', stdio: 'pipe' });
  await eventually(() => {
    running.expectRunning();
    ctr('version');
    return true;
  });
  ctr('images', 'import', archive);
  return running;
}

function startKubelet(place: NodePlace): Promise<OwnProcess> {
  return startProgram({
    program: binaryPath('kubelet'),
    logFile: join(place.folder, 'kubelet.log'),
    args: [
      ...[`--config=${kubeletSettings(place)}`, `--kubeconfig=${place.kubeconfig}`],
      ...[`--root-dir=${join(place.folder, 'kubelet')}`, `--cert-dir=${join(place.folder, 'kubelet/pki')}`],
      ...['--hostname-override=node', `--node-ip=${ofFamilies(place.families, MACHINES.node).join()}`],
    ],
  });
}

/** The Pod as a user writes it, but bound to the node: no scheduler runs. */
const podOf = (name: string): unknown => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'test', labels: { app: name } },
  spec: {
    nodeName: 'node',
    dnsPolicy: 'Default',
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 1,
    tolerations: [{ operator: 'Exists' }],
    containers: [
      {
        name: 'echo',
        image: POD_IMAGE,
        imagePullPolicy: 'Never',
        args: ['echo'],
        readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
      },
    ],
  },
});

/** Starts a node where the tests run, beside a control plane; both end together. */
export async function startNode(plane: ControlPlane, families: Families): Promise<KubeNode> {
  const folder = join(plane.folder, 'node');
  mkdirSync(folder);
  const place: NodePlace = { folder, families, kubeconfig: plane.kubeconfig };
  const containerd = await startContainerd(place);
  plane.onStop(async () => {
    await containerd.stop();
    // the bridge has the addresses of this cluster's families
    ip('link delete cni0');
  });
  const kubelet = await startKubelet(place);
  plane.onStop(() => kubelet.stop());
  plane.onStop(async () => {
    // in order, since what kubelet has not taken down stays mounted
    await plane.client.request('DELETE', PODS);
    await plane.client.watchUntilEmpty(PODS);
  });
  const proxy = new Proxy(place, 'node');
  plane.onStop(() => proxy.stop());
  await eventually(async () => {
    for (const each of [containerd, kubelet]) each.expectRunning();
    return conditionIs(await plane.client.request('GET', '/api/v1/nodes/node'), 'Ready');
  });
  return {
    runPod: async (name) => {
      await plane.client.request('POST', PODS, podOf(name));
      await plane.client.objectWhen(`${PODS}/${name}`, (pod) => conditionIs(pod, 'Ready'));
    },
    runProxy: (mode) => proxy.run(mode),
  };
}
