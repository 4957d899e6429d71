import { join } from 'node:path';
import { freePorts } from '../../support/free-ports';
import type { Json } from './cluster-client';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';
import { tokenFor } from './installation';
import { LEASE_PATH } from './lease-path';
import { operatorBundle } from './operator-bundle';
import { startProgram, type OwnProcess } from './own-process';
import { mountVolumes } from './pod-volumes';

const NAMESPACE = 'ipam-system';
const START_MS = 120_000;
const GRACE_MS = 15_000;

/** In what an operator differs from what the Deployment says. */
export interface OperatorStart {
  /** Tells apart operators of one control plane; also the name of the Pod. */
  readonly name?: string;
  /** Flags without the dashes; `undefined` takes one of the Deployment's, or of ours, away. */
  readonly args?: Readonly<Record<string, string | undefined>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs without the cluster behind it; the API server calls it all the same. */
  readonly standalone?: boolean;
  /** False where the webhooks are not to reach it, or are not there. */
  readonly awaitWebhooks?: boolean;
}

/** An operator that runs in a process of its own, as the Deployment says. */
export interface RunningOperator {
  /** Of the health port: `/healthz`, `/readyz`, `/metrics`. */
  readonly probes: string;
  /** Where the webhooks listen. */
  readonly webhooks: { readonly host: string; readonly port: number };
  readonly pid: number;
  running(): boolean;
  /** Sends a signal and waits for the end. The API server goes on calling where it was, as when a node is lost. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Sends a signal, such as SIGSTOP, and waits for nothing. */
  signal(signal: NodeJS.Signals): void;
  /**
   * Ends it in order if it runs, and starts it again on the same ports, volumes and token.
   *
   * @param how - `leaseStands`: the Lease of one that was killed runs out first, as in life; without it that is given back for it
   */
  restart(how?: { readonly leaseStands?: boolean }): Promise<void>;
  /** Ends it in order, as when the Pod is deleted: the API server calls it no more. */
  stop(): Promise<void>;
  log(): string;
  metrics(): Promise<string>;
}

/** Every process of a control plane. */
const STARTED = new WeakMap<ControlPlane, readonly OwnProcess[]>();

type Flag = readonly [string, string | undefined];

interface Place {
  readonly name: string;
  readonly webhook: number;
  readonly probes: number;
}

async function podOf({ client }: ControlPlane): Promise<Json> {
  const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/ipam-controller-manager`;
  const pod = (await client.request('GET', path)).spec?.['template']?.['spec'];
  if (pod === undefined) throw new RangeError('the Deployment has no Pod');
  return pod;
}

/** The arguments of the Deployment, with paths and addresses of this machine in them. */
async function argumentsFor(plane: ControlPlane, place: Place, start: OperatorStart): Promise<readonly string[]> {
  const pod = await podOf(plane);
  const volumes = await mountVolumes(plane, place.name, pod);
  const words: readonly string[] = pod['containers']?.[0]?.['args'] ?? [];
  const deployed = words.map((word): Flag => {
    const [, flag = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
    return [flag, value.startsWith('/') ? volumes.pathOf(value) : value];
  });
  const flags = new Map<string, string | undefined>([
    ...deployed,
    ['webhook-bind-address', `${plane.reachable}:${place.webhook}`],
    ['health-probe-bind-address', `127.0.0.1:${place.probes}`],
    // where no load runs, nobody has to learn of an end before it comes
    ['shutdown-delay', '0'],
    ...(await identityFlags(plane, place, start)),
    ...Object.entries(start.args ?? {}),
  ]);
  return [...flags].flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}=${value}`]));
}

async function identityFlags(
  plane: ControlPlane,
  { name }: Place,
  { standalone }: OperatorStart,
): Promise<readonly Flag[]> {
  if (standalone === true) {
    const file = (leaf: string): string => join(plane.folder, `${name}-${leaf}`);
    return [
      ['standalone', 'true'],
      ['cluster-families', 'ipv4,ipv6'],
      ['hash-key-secret-name', undefined],
      ['hash-key-file', file('hash-key')],
      // the volume is for operators of this cluster
      ['sqlite-file', file('ipam.sqlite')],
    ];
  }
  const token = await tokenFor(plane, NAMESPACE, 'ipam-controller-manager');
  return [['kubeconfig', plane.kubeconfigOf(name, token)]];
}

const sliceOf = ({ name }: Place): string => `ipam-webhook-${name}`;

/** Tells the API server where the webhook Service ends, as the endpoint controller does for a Pod that is ready. */
async function publishEndpoint({ client, reachable }: ControlPlane, place: Place): Promise<void> {
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: sliceOf(place),
      namespace: NAMESPACE,
      labels: {
        'kubernetes.io/service-name': 'ipam-webhook-service',
        'endpointslice.kubernetes.io/managed-by': 'cluster-test',
      },
    },
    addressType: 'IPv4',
    ports: [{ name: 'https', port: place.webhook, protocol: 'TCP' }],
    endpoints: [{ addresses: [reachable], conditions: { ready: true } }],
  };
  await client.apply([slice]);
}

/** Does what the endpoint controller does before a Pod that is to end gets its SIGTERM. */
async function withdrawEndpoint({ client }: ControlPlane, place: Place): Promise<void> {
  await client.attempt('DELETE', `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices/${sliceOf(place)}`);
}

const reviewsOf = (metrics: string): number =>
  [...metrics.matchAll(/^\S*admission_requests_total\S* (\d+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0);

/**
 * Waits until a review arrives: by then the CA is injected, and the API server knows the endpoint. The Service of the review
 * asks for a family, or the webhooks would not be called without a default zone, and is a dry run. A webhook that must not fail says nothing of its failure, so the operator's count tells.
 */
async function awaitWebhooks({ client }: ControlPlane, metrics: () => Promise<string>): Promise<void> {
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'is-the-webhook-there', annotations: { 'ipam.vitistack.io/ip-family': 'ipv4' } },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
  };
  await eventually(async () => {
    const answer = await client.attempt('POST', '/api/v1/namespaces/default/services?dryRun=All', service);
    if (answer.status === 500) throw new RangeError(answer.body.message);
    return reviewsOf(await metrics()) > 0;
  });
}

/** Takes away the Lease of a process that was killed: how long it stands is hardly ever the matter of a test. */
async function giveLeaseBack(plane: ControlPlane): Promise<void> {
  const all = STARTED.get(plane) ?? [];
  if (!all.some((each) => each.running())) await plane.client.attempt('DELETE', LEASE_PATH);
}

/** Starts the operator as the Deployment in the cluster says, with a token of its ServiceAccount. */
export async function startOperator(plane: ControlPlane, start: OperatorStart = {}): Promise<RunningOperator> {
  const [webhook = 0, probes = 0] = await freePorts(2);
  const place: Place = { name: start.name ?? 'operator', webhook, probes };
  const [program, args] = await Promise.all([operatorBundle(), argumentsFor(plane, place, start)]);
  const url = `http://127.0.0.1:${probes}`;
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  const launch = async (): Promise<OwnProcess> => {
    const child = await startProgram({
      program: process.execPath,
      args: [program, ...args],
      logFile: join(plane.folder, `${place.name}.log`),
      env: { POD_NAMESPACE: NAMESPACE, POD_NAME: place.name, TMPDIR: plane.folder, ...start.env },
    });
    STARTED.set(plane, [...(STARTED.get(plane) ?? []), child]);
    await eventually(async () => {
      child.expectRunning();
      const answer = await fetch(`${url}/readyz`);
      if (!answer.ok) throw new RangeError(`not ready: ${await answer.text()}\n${child.log().slice(-2_000)}`);
      return true;
    }, START_MS);
    return child;
  };
  let child = await launch();
  plane.onStop(() => child.stop(GRACE_MS));
  await publishEndpoint(plane, place);
  if (start.awaitWebhooks !== false) await awaitWebhooks(plane, metrics);
  return {
    probes: url,
    webhooks: { host: plane.reachable, port: webhook },
    get pid() {
      return child.pid;
    },
    running: () => child.running(),
    signal: (signal) => {
      child.kill(signal);
    },
    kill: async (signal = 'SIGKILL') => {
      child.kill(signal);
      await child.ended;
    },
    restart: async ({ leaseStands = false } = {}) => {
      await child.stop(GRACE_MS);
      if (!leaseStands) await giveLeaseBack(plane);
      child = await launch();
      await publishEndpoint(plane, place); // gone after `stop`
    },
    stop: async () => {
      await withdrawEndpoint(plane, place);
      await child.stop(GRACE_MS);
    },
    log: () => child.log(),
    metrics,
  };
}
