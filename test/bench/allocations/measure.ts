import { NEPHIO } from '../../../operator/contract/nephio';
import type { KubeObject } from '../../cluster/support/cluster-client';
import type { ControlPlane } from '../../cluster/support/control-plane';
import { usesIn } from '../../cluster/support/rights';
import { cpuSeconds, residentMiB } from '../cluster/process-cost';
import { inParallel } from '../cluster/services-load';

const API = '/apis/ipam.nephio.org/v1alpha1';
const READS = ['get', 'list', 'watch'];
/** So that hot functions and connections are ready. */
const WARM_UP = 100;
const PATIENCE_MS = 1_200_000;
const CHECK_MS = 500;
const SHOWN_LOG = 4_000;

/** A program that gives addresses while it runs. */
export interface Running {
  readonly pid: number;
  running(): boolean;
  log(): string;
  stop(): Promise<void>;
}

/** One side of the comparison, in a namespace of its own. */
export interface Contestant {
  readonly namespace: string;
  /** As the audit log has it. */
  readonly user: string;
  start(plane: ControlPlane): Promise<Running>;
}

/** Cost of one contestant. */
export interface Measured {
  readonly count: number;
  /** From the first create until the last IPAllocation is ready. */
  readonly seconds: number;
  /** Writes by verb and resource. */
  readonly byKind: ReadonlyMap<string, number>;
  readonly cpu: number;
  readonly memory: number;
}

/** Path of the IPAllocations of a namespace. */
export const allocationsOf = (namespace: string): string => `${API}/namespaces/${namespace}/ipallocations`;

/** An IPAllocation of network net1 of instance `vpc-1`. */
export const allocationNamed = (namespace: string, name: string) => ({
  apiVersion: 'ipam.nephio.org/v1alpha1',
  kind: 'IPAllocation',
  metadata: { name, namespace },
  spec: {
    kind: 'network',
    selector: { matchLabels: { [NEPHIO.networkInstance]: 'vpc-1', [NEPHIO.networkName]: 'net1' } },
  },
});

const isReady = ({ status }: KubeObject): boolean =>
  status?.['conditions']?.some((each: { readonly [key: string]: unknown }) => {
    return each['type'] === 'Ready' && each['status'] === 'True';
  }) === true;

/** Fails at once where the program ends. */
async function whileRunning<T>(running: Running, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      if (!running.running()) reject(new RangeError(`the program has ended: ${running.log().slice(-SHOWN_LOG)}`));
    }, CHECK_MS);
  });
  return Promise.race([work, ended]).finally(() => {
    clearInterval(timer);
  });
}

async function load(plane: ControlPlane, namespace: string, names: readonly string[]): Promise<number> {
  const path = allocationsOf(namespace);
  const left = new Set(names);
  const start = performance.now();
  const ready = plane.client.watchUntil(
    path,
    (all) => {
      const newest = left.size > 0 && all.length > 0 ? all : [];
      for (const each of newest) if (left.has(each.metadata.name) && isReady(each)) left.delete(each.metadata.name);
      return left.size === 0;
    },
    PATIENCE_MS,
  );
  await Promise.all([
    ready,
    inParallel(names, (name) =>
      plane.client.request('POST', path, allocationNamed(namespace, name)).then(() => undefined),
    ),
  ]);
  return (performance.now() - start) / 1_000;
}

/** Lets one contestant serve so many IPAllocations, and ends it. */
export async function measure(plane: ControlPlane, contestant: Contestant, count: number): Promise<Measured> {
  const { namespace, user } = contestant;
  const running = await contestant.start(plane);
  const namesOf = (word: string, of: number) => Array.from({ length: of }, (_, i) => `${word}-${String(i)}`);
  try {
    await whileRunning(running, load(plane, namespace, namesOf('warm', Math.min(WARM_UP, count))));
    const [cpu, from] = [cpuSeconds(running.pid), usesIn(plane.auditFile, user).length];
    const seconds = await whileRunning(running, load(plane, namespace, namesOf(`s${String(count)}`, count)));
    const byKind = new Map<string, number>();
    for (const { verb, resource } of usesIn(plane.auditFile, user).slice(from)) {
      if (READS.includes(verb) || resource.startsWith('leases')) continue;
      byKind.set(`${verb} ${resource}`, (byKind.get(`${verb} ${resource}`) ?? 0) + 1);
    }
    return { count, seconds, byKind, cpu: cpuSeconds(running.pid) - cpu, memory: residentMiB(running.pid) };
  } finally {
    await clearUp(plane, namespace);
    await running.stop();
  }
}

// Finalizers are taken off by force: the client releases nothing, and the next run needs an empty cluster.
async function clearUp(plane: ControlPlane, namespace: string): Promise<void> {
  const path = allocationsOf(namespace);
  const { items = [] } = await plane.client.request('GET', path);
  await inParallel(
    items.map(({ metadata }) => metadata.name),
    async (name) => {
      await plane.client.request('PATCH', `${path}/${name}`, { metadata: { finalizers: null } }, 'merge');
      await plane.client.request('DELETE', `${path}/${name}`);
    },
  );
}
