import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EGRESS_KEYS } from '../../../operator/contract/egress';
import type { KubeObject } from '../../cluster/support/cluster-client';
import type { ControlPlane } from '../../cluster/support/control-plane';
import { eventually } from '../../cluster/support/eventually';
import { tokenFor } from '../../cluster/support/installation';
import { startOperator } from '../../cluster/support/operator-process';
import { EGRESS_IPS } from '../../cluster/support/ovn-kubernetes';
import { startProgram } from '../../cluster/support/own-process';
import { usesUntilNow, type Use } from '../../cluster/support/rights';
import { podHeap } from '../cluster/pod-heap';
import { cpuSeconds, residentMiB } from '../cluster/process-cost';
import { inParallel } from '../cluster/services-load';
import * as scene from './scene';

const READS = ['get', 'list', 'watch'];
const PATIENCE_MS = 600_000;
const OPERATOR = 'system:serviceaccount:ipam-system:ipam-controller-manager';
const BARE = `system:serviceaccount:${scene.CLIENT_NAMESPACE}:bare`;

/** Size of one run. */
export interface Run {
  readonly dataplane: scene.BenchDataplane;
  readonly namespaces: number;
  /** Of each of the three CIDRs. */
  readonly length: number;
  /** Everything is left where it is: the cluster ends. */
  readonly isLast?: boolean;
}

/** What it took until every Namespace had its addresses. */
export interface Assigned {
  readonly run: Run;
  readonly seconds: number;
  /** Until the first one had. */
  readonly firstSeconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Writes by verb and resource, those of the Lease left out. */
  readonly byKind: ReadonlyMap<string, number>;
  readonly cpu: number;
  readonly memory: number;
}

/** Cost of the door. */
export interface Measured extends Assigned {
  /** Writes of the next term to what was there before it. */
  readonly writesAgain: number;
  /** From the moment a node is not ready until all of its addresses are on others; with OVN-Kubernetes that is not the door's work. */
  readonly failOver?: { readonly seconds: number; readonly addresses: number };
}

interface Running {
  readonly pid: number;
  stop(): Promise<void>;
}

let doors = 0;

/** Starts the door, with a log of its own, and returns once it knows what is stored: an end that it does not see is told after a grace. */
async function startDoor(plane: ControlPlane): Promise<Running> {
  const name = `door-${String((doors += 1))}`;
  const door = await startOperator(plane, { name, env: podHeap(), awaitWebhooks: false });
  await eventually(() => door.log().includes('namespaces were compared with the record of egress addresses'));
  return door;
}

async function startBareClient(plane: ControlPlane, egressIpam: string): Promise<Running> {
  const { folder, url, ca } = plane;
  const token = await tokenFor(plane, scene.CLIENT_NAMESPACE, 'bare');
  writeFileSync(join(folder, 'access.json'), JSON.stringify({ url, ca, token }), { mode: 0o600 });
  const program = await startProgram({
    program: process.execPath,
    args: ['--import', 'tsx', join(__dirname, 'bare-client.ts'), folder, egressIpam],
    logFile: join(folder, `bare-${String(Date.now())}.log`),
    env: podHeap(),
    cwd: join(__dirname, '../../..'),
  });
  await eventually(() => {
    program.expectRunning();
    return program.log().includes('watching');
  });
  return program;
}

const writesOf = async (plane: ControlPlane, user: string): Promise<readonly Use[]> =>
  (await usesUntilNow(plane, user)).filter(
    ({ verb, resource, status }) =>
      !READS.includes(verb) && !/^(?:leases|events|.*reviews)/u.test(resource) && status < 300,
  );

function countsOf(writes: readonly Use[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { verb, resource } of writes)
    counts.set(`${verb} ${resource}`, (counts.get(`${verb} ${resource}`) ?? 0) + 1);
  return counts;
}

interface Assigning {
  readonly run: Run;
  readonly egressIpam: string;
  readonly user: string;
  readonly pid: number;
}

/** Makes the Namespaces of a run, and returns when each has its list and what sends its traffic from there. */
async function assign(plane: ControlPlane, { run, egressIpam, user, pid }: Assigning): Promise<Assigned> {
  const { client } = plane;
  const names = scene.namesOf(egressIpam, run.namespaces);
  const [cpu, before] = [cpuSeconds(pid), (await writesOf(plane, user)).length];
  const [begun, reached] = [new Map<string, number>(), new Map<string, number>()];
  const isServed = (all: readonly KubeObject[]): boolean => {
    for (const { metadata } of all)
      if (metadata.annotations?.[EGRESS_KEYS.addresses] !== undefined && !reached.has(metadata.name))
        reached.set(metadata.name, performance.now());
    return reached.size === run.namespaces;
  };
  const selected = `${scene.NAMESPACES}?labelSelector=bench%3D${egressIpam}`;
  const listed = client.watchUntil(selected, isServed, PATIENCE_MS);
  const start = performance.now();
  const make = async (name: string): Promise<void> => {
    begun.set(name, performance.now());
    await scene.makeNamespace(plane, name, { egressIpam, dataplane: run.dataplane });
  };
  await Promise.all([listed, sending(plane, run, run.namespaces), inParallel(names, make)]);
  const seconds = (performance.now() - start) / 1_000;
  const firstSeconds = (Math.min(...reached.values()) - start) / 1_000;
  const spans = [...reached].map(([name, at]) => at - (begun.get(name) ?? start)).sort((a, b) => a - b);
  const share = (of: number): number => spans[Math.min(spans.length - 1, Math.floor(spans.length * of))] ?? NaN;
  const cost = { cpu: cpuSeconds(pid) - cpu, memory: residentMiB(pid) };
  const byKind = countsOf((await writesOf(plane, user)).slice(before));
  return { run, seconds, firstSeconds, p50Ms: share(0.5), p99Ms: share(0.99), byKind, ...cost };
}

/** Returns when the dataplane has the addresses of so many Namespaces. */
async function sending({ client }: ControlPlane, { dataplane }: Run, count: number): Promise<void> {
  const ovn = dataplane === 'ovn-kubernetes';
  const hasAddresses = (object: KubeObject): boolean => ovn || addressesOn(object).length > 0;
  const isSent = (all: readonly KubeObject[]): boolean =>
    all.length >= count && all.filter(hasAddresses).length >= count;
  await client.watchUntil(ovn ? EGRESS_IPS : scene.NET_NAMESPACES, isSent, PATIENCE_MS);
}

const addressesOn = (object: KubeObject): readonly string[] =>
  (object as { readonly egressIPs?: readonly string[] }).egressIPs ?? [];

/** Counts the writes of the next term to what was there: one more Namespace shows that its comparison is over. */
async function writesAgain(plane: ControlPlane, run: Run, egressIpam: string): Promise<number> {
  const { client } = plane;
  const before = (await writesOf(plane, OPERATOR)).length;
  const again = await startDoor(plane);
  try {
    const late = `${egressIpam}-late`;
    await scene.makeNamespace(plane, late, { egressIpam, dataplane: run.dataplane });
    await sending(plane, run, run.namespaces + 1);
    await countedIn(client, egressIpam, run.namespaces + 1);
    const writes = (await writesOf(plane, OPERATOR)).slice(before);
    const countOf = (of: string): number => writes.filter(({ verb, resource }) => `${verb} ${resource}` === of).length;
    // an object that is made tells no name, and a HostSubnet has addresses of many: as many as the late one needs are its own
    const beyondOwn = ['create addressclaims', 'patch hostsubnets'].map((of) => Math.max(0, countOf(of) - scene.CIDRS));
    const isOld = ({ verb, name = '', resource }: Use): boolean =>
      verb !== 'create' && !name.endsWith(late) && !/^(?:egressipams|hostsubnets|.*configurations)/u.test(resource);
    return writes.filter(isOld).length + beyondOwn.reduce((sum, each) => sum + each, 0);
  } finally {
    await again.stop();
  }
}

const countedIn = (client: ControlPlane['client'], egressIpam: string, count: number): Promise<unknown> =>
  eventually(async () => {
    const { status } = await client.request('GET', `${scene.IPAMS}/${egressIpam}`);
    return (status?.['namespaces'] as { readonly assigned?: number } | undefined)?.assigned === count;
  });

async function failOver({ client }: ControlPlane): Promise<NonNullable<Measured['failOver']>> {
  const { items = [] } = await client.request('GET', scene.HOST_SUBNETS);
  const [first] = items.filter((each) => addressesOn(each).length > 0);
  const leaving = new Set(first === undefined ? [] : addressesOn(first));
  const name = first?.metadata.name ?? '';
  const start = performance.now();
  const moved = client.watchUntil(
    scene.HOST_SUBNETS,
    (all) => {
      const elsewhere = all.filter(({ metadata }) => metadata.name !== name).flatMap(addressesOn);
      return elsewhere.filter((address) => leaving.has(address)).length === leaving.size;
    },
    PATIENCE_MS,
  );
  await client.request('PATCH', `${scene.NODES}/${name}/status`, scene.readiness('Unknown'), 'merge');
  await moved;
  const seconds = (performance.now() - start) / 1_000;
  await client.request('PATCH', `${scene.NODES}/${name}/status`, scene.readiness('True'), 'merge');
  return { seconds, addresses: leaving.size };
}

/**
 * Lets the door serve the Namespaces of a run in a cluster without others, and clears up unless it is the last one.
 *
 * @param plane - with an audit log
 * @param run - its size
 * @param egressIpam - name of the EgressIPAM, another one for each run
 * @returns time and cost
 */
export async function measureDoor(plane: ControlPlane, run: Run, egressIpam: string): Promise<Measured> {
  const first = await startDoor(plane);
  let assigned: Assigned;
  let moved: Measured['failOver'];
  try {
    await scene.makeEgressIpam(plane, egressIpam, run.length);
    assigned = await assign(plane, { run, egressIpam, user: OPERATOR, pid: first.pid });
    await countedIn(plane.client, egressIpam, run.namespaces);
    if (run.dataplane === 'openshift-sdn') moved = await failOver(plane);
  } finally {
    await first.stop();
  }
  const again = await writesAgain(plane, run, egressIpam);
  if (run.isLast !== true) await clearByDoor(plane, egressIpam);
  return { ...assigned, writesAgain: again, ...(moved && { failOver: moved }) };
}

async function clearByDoor(plane: ControlPlane, egressIpam: string): Promise<void> {
  const last = await startDoor(plane);
  try {
    await scene.clearUp(plane, egressIpam);
  } finally {
    await last.stop();
  }
}

/**
 * Lets the client that decides nothing serve the Namespaces of a run, and clears up.
 *
 * @param plane - with an audit log
 * @param run - of OVN-Kubernetes
 * @param egressIpam - that the Namespaces name; there is none
 * @returns time and cost
 */
export async function measureBare(plane: ControlPlane, run: Run, egressIpam: string): Promise<Assigned> {
  const running = await startBareClient(plane, egressIpam);
  try {
    return await assign(plane, { run, egressIpam, user: BARE, pid: running.pid });
  } finally {
    await running.stop();
    await scene.clearBare(plane);
    await scene.clearUp(plane, egressIpam);
  }
}
