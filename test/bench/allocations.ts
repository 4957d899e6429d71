/**
 * The Networks door on a real API server, beside a client that makes the same writes and decides nothing, and its start over many
 * stored allocations beside a client that lists them: `npm run bench -- allocations [--quick | --tiny]`. Runs only when it is named;
 * Linux as root, as `npm run test:cluster`. The client runs before and after the door, since a busy machine drifts.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeAdministrator } from '../cluster/support/administrator';
import { waitForBinaries } from '../cluster/support/binaries';
import type { ClusterClient } from '../cluster/support/cluster-client';
import { startControlPlane, type ControlPlane } from '../cluster/support/control-plane';
import { eventually } from '../cluster/support/eventually';
import { applyInstallation, tokenFor } from '../cluster/support/installation';
import { startOperator } from '../cluster/support/operator-process';
import { startProgram } from '../cluster/support/own-process';
import { startBuild } from '../cluster/support/start-build';
import { CONTROL_PLANE } from '../cluster/support/use-control-plane';
import { slopeOf } from '../support/slope';
import {
  allocationNamed,
  allocationsOf,
  measure,
  type Contestant,
  type Measured,
  type Running,
} from './allocations/measure';
import { MEMORY_GATE_MIB } from './cluster/memory-gate';
import { podHeap } from './cluster/pod-heap';
import { residentMiB } from './cluster/process-cost';
import { inParallel } from './cluster/services-load';
import { judged as judge, type BenchResult, type BenchSize, type Judged } from './result';

const SIZES: Readonly<Record<BenchSize, number>> = { full: 1_000, quick: 300, tiny: 5 };
/** Allocations of the restores: the smaller one, and then as many as make the larger one. */
const RESTORED: Readonly<Record<BenchSize, readonly [number, number]>> = {
  full: [10_000, 100_000],
  quick: [1_000, 4_000],
  tiny: [10, 20],
};

const CLIENT_NAMESPACE = 'bench-client';
const CLAIMS = '/apis/ipam.vitistack.io/v1alpha1/addressclaims';
const PAGE = 500;
/** A list of both kinds, the parsing of their claims and the comparison. */
const MOST_OF_LIST = 6;

const INSTALLATION = {
  services: { enabled: false },
  networks: { enabled: true, orphanGraceSeconds: 86_400 },
  crds: { breakGlassGroup: `system:serviceaccounts:${CLIENT_NAMESPACE}` },
};

const DOOR: Contestant = {
  namespace: 'bench',
  user: 'system:serviceaccount:ipam-system:ipam-controller-manager',
  start: async (plane) => {
    await network(plane, 'bench');
    return startOperator(plane, { env: podHeap(), awaitWebhooks: false });
  },
};

const BARE_CLIENT: Contestant = {
  namespace: 'bare',
  user: `system:serviceaccount:${CLIENT_NAMESPACE}:bare`,
  start: startBareClient,
};

/** Addresses of one run; what the client took it never gives back. */
const ADDRESSES = 10_000;
let runs = 0;

async function startBareClient(plane: ControlPlane): Promise<Running> {
  const first = 1 + ADDRESSES * runs++;
  const { folder, url, ca } = plane;
  const token = await tokenFor(plane, CLIENT_NAMESPACE, 'bare');
  writeFileSync(join(folder, 'access.json'), JSON.stringify({ url, ca, token }), { mode: 0o600 });
  const program = await startProgram({
    program: process.execPath,
    args: [
      '--import',
      'tsx',
      join(__dirname, 'allocations/bare-client.ts'),
      folder,
      BARE_CLIENT.namespace,
      String(first),
    ],
    logFile: join(folder, `bare-${String(Date.now())}.log`),
    env: podHeap(),
    cwd: join(__dirname, '../..'),
  });
  await eventually(() => {
    program.expectRunning();
    return program.log().includes('watching');
  });
  return program;
}

/** The instance with one large network; there already in the second run. */
async function network(plane: ControlPlane, namespace: string): Promise<void> {
  const head = { apiVersion: 'ipam.nephio.org/v1alpha1' };
  const spec = { kind: 'network', prefix: '10.64.0.1/12', networkInstance: 'vpc-1', network: 'net1' };
  await plane.client.apply([
    { ...head, kind: 'NetworkInstance', metadata: { name: 'vpc-1', namespace } },
    { ...head, kind: 'IPPrefix', metadata: { name: 'net1', namespace }, spec },
  ]);
}

async function prepare(plane: ControlPlane): Promise<void> {
  await applyInstallation(plane, INSTALLATION);
  const namespaces = ['bench', 'bare', 'restored'];
  await plane.client.apply(namespaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  await makeAdministrator(plane, { name: 'bare', namespace: CLIENT_NAMESPACE });
}

const judged = (id: string, of: Judged): BenchResult => judge(`allocations ${id}`, of);

const mean = (of: readonly Measured[]): number => of.reduce((sum, { seconds }) => sum + seconds, 0) / of.length;
const perAllocation = ({ byKind, count }: Measured): string =>
  [...byKind].map(([kind, writes]) => `${kind} ${(writes / count).toFixed(2)}`).join(', ');

async function rates(plane: ControlPlane, count: number): Promise<readonly BenchResult[]> {
  const before = await measure(plane, BARE_CLIENT, count);
  const door = await measure(plane, DOOR, count);
  const after = await measure(plane, BARE_CLIENT, count);
  const clients = [before, after].map(({ seconds }) => seconds.toFixed(2)).join(' and ');
  const writes = [...door.byKind.values()].reduce((sum, each) => sum + each, 0) / count;
  return [
    judged(`${String(count)}, rate vs the bare client`, {
      value: mean([before, after]) / door.seconds,
      gate: 0.7,
      better: 'higher',
      note: `${door.seconds.toFixed(2)} against ${clients} s, ${(count / door.seconds).toFixed(0)} a second`,
    }),
    judged(`${String(count)}, API writes of each`, {
      value: writes,
      gate: 4,
      better: 'lower',
      note: `${perAllocation(door)}; client ${perAllocation(before)}`,
    }),
    judged(`${String(count)}, resident MiB`, {
      value: door.memory,
      gate: MEMORY_GATE_MIB,
      better: 'lower',
      note: `client ${before.memory.toFixed(0)}, CPU ms of each ${((door.cpu * 1_000) / count).toFixed(2)}`,
    }),
  ];
}

/** A claim as the door writes it, and the IPAllocation that holds it. */
async function restored(client: ClusterClient, index: number): Promise<void> {
  const [namespace, name] = ['restored', `r-${String(index)}`];
  const address = [
    '10',
    ...[65_536, 256, 1].map((unit) => String(Math.floor((4_194_304 + 2 + index) / unit) % 256)),
  ].join('.');
  const created = await client.request('POST', allocationsOf(namespace), allocationNamed(namespace, name));
  const holder = { apiVersion: 'ipam.nephio.org/v1alpha1', kind: 'IPAllocation', namespace, name };
  await client.request('POST', CLAIMS, {
    apiVersion: 'ipam.vitistack.io/v1alpha1',
    kind: 'AddressClaim',
    metadata: { name: `restored.vpc-1.${address}` },
    spec: {
      network: 'restored.vpc-1',
      address,
      door: 'networks',
      pool: '10.64.0.0/12',
      state: 'bound',
      holder: { ...holder, uid: created.metadata.uid },
      entry: { role: 'allocation', kind: 'network' },
    },
  });
}

async function listAll(plane: ControlPlane, path: string): Promise<number> {
  let [count, next] = [0, ''];
  do {
    const from = next === '' ? '' : `&continue=${encodeURIComponent(next)}`;
    const { items = [], metadata } = await plane.client.request('GET', `${path}?limit=${String(PAGE)}${from}`);
    count += items.length;
    next = (metadata as { readonly continue?: string }).continue ?? '';
  } while (next !== '');
  return count;
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

interface Restart {
  readonly list: number;
  readonly start: number;
  readonly memory: number;
}

async function restart(plane: ControlPlane, size: number): Promise<Restart> {
  const list = await secondsOf(async () => {
    await listAll(plane, CLAIMS);
    await listAll(plane, allocationsOf('restored'));
  });
  let memory = 0;
  const start = await secondsOf(async () => {
    // with a log of its own, in which nothing of an earlier start stands
    const name = `restored-${String(size)}`;
    const operator = await startOperator(plane, { name, env: podHeap(), awaitWebhooks: false });
    await eventually(() => operator.log().includes('objects of networks were compared with the record'), 600_000);
    memory = residentMiB(operator.pid);
    await operator.stop();
  });
  return { list, start, memory };
}

async function restores(plane: ControlPlane, sizes: readonly [number, number]): Promise<readonly BenchResult[]> {
  await network(plane, 'restored');
  // with its subnet on record, which the claims lie in
  const first = await startOperator(plane, { awaitWebhooks: false });
  await eventually(async () => (await listAll(plane, CLAIMS)) > 0);
  await first.stop();
  // as a backup tool whose ServiceAccount is let past the policy
  const tool = plane.client.as(await tokenFor(plane, CLIENT_NAMESPACE, 'bare'));
  plane.onStop(() => {
    tool.close();
  });
  const runs: Restart[] = [];
  let made = 0;
  for (const size of sizes) {
    const more = Array.from({ length: size - made }, (_, i) => String(made + i));
    await inParallel(more, (index) => restored(tool, Number(index)));
    made = size;
    runs.push(await restart(plane, size));
  }
  const last = runs.at(-1) ?? { list: NaN, start: NaN, memory: NaN };
  const note = `${last.start.toFixed(2)} s of ${String(made)} allocations; a list of both kinds ${last.list.toFixed(2)} s`;
  return [
    judged('restore vs a list of claims and allocations', {
      value: last.start / last.list,
      gate: MOST_OF_LIST,
      better: 'lower',
      note,
    }),
    judged('restore, slope over allocations', {
      value: slopeOf(
        sizes,
        runs.map(({ start }) => start),
      ),
      gate: 1.1,
      better: 'lower',
      note: runs.map(({ start }, i) => `${String(sizes[i])}: ${start.toFixed(2)} s`).join(', '),
    }),
    judged('restore, resident MiB', {
      value: last.memory,
      gate: MEMORY_GATE_MIB,
      better: 'lower',
      note: `${String(made)} allocations`,
    }),
  ];
}

/** Runs the bench. */
export async function bench(size: BenchSize): Promise<readonly BenchResult[]> {
  await startBuild();
  await waitForBinaries(CONTROL_PLANE);
  const plane = await startControlPlane({ families: 'v4', audit: true });
  try {
    await prepare(plane);
    return [...(await rates(plane, SIZES[size])), ...(await restores(plane, RESTORED[size]))];
  } finally {
    await plane.stop();
  }
}
