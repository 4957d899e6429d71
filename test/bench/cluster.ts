/**
 * End to end on a real API server, beside MetalLB alone on the same one: `npm run bench -- cluster [--quick | --large]` creates
 * 200, 1,000 or 5,000 Services and goes on to 1,000 or 10,000. Runs only when it is named; Linux as root, as `npm run test:cluster`.
 *
 * `performance.md` has a goal for two of its lines alone, writes and CPU of a resync (K4). The others are gates of this project:
 * end to end at most twice the bare API server and half more than MetalLB alone, and memory that fits the Pod as it is installed.
 */
import { DEFAULT_RESOURCES } from '../../constructs/operator/pod/resources';
import { METALLB_NAMESPACE } from '../../operator/contract/group';
import { COMPONENTS } from '../cluster/components/recipes';
import { waitForBinaries } from '../cluster/support/binaries';
import { startControlPlane, type ControlPlane } from '../cluster/support/control-plane';
import { applyInstallation } from '../cluster/support/installation';
import { startMetalLb } from '../cluster/support/neighbours';
import { startOperator, type RunningOperator } from '../cluster/support/operator-process';
import type { OwnProcess } from '../cluster/support/own-process';
import { usesIn } from '../cluster/support/rights';
import { startBuild } from '../cluster/support/start-build';
import { MEMORY_GATE_MIB } from './cluster/memory-gate';
import { podHeap } from './cluster/pod-heap';
import { cpuSeconds, residentMiB } from './cluster/process-cost';
import { deleteServices, loadServices, type Load, type LoadResult } from './cluster/services-load';
import type { BenchResult } from './result';

const OPERATOR = 'system:serviceaccount:ipam-system:ipam-controller-manager';
const NAMESPACE = 'bench';
const RESYNC_SECONDS = 10;
const RESYNCS = 3;
const READS = ['get', 'list', 'watch'];

const HEAP = podHeap();

/** Cost of one variant. */
interface Measured extends LoadResult {
  readonly metalLbCpu: number;
  readonly metalLbWrites: number;
  readonly operatorCpu: number;
  readonly operatorWrites: number;
  readonly memory: number;
}

/** Cost of an operator with many Services while nothing changes. */
interface Rest {
  readonly services: number;
  readonly startSeconds: number;
  readonly memory: number;
  readonly writes: number;
  /** Microseconds of CPU for each Service and comparison, everything else that an idle operator does included. */
  readonly cpuPerService: number;
}

const namesFrom = (first: number, end: number): readonly string[] =>
  Array.from({ length: end - first }, (_, i) => `s${String(first + i)}`);
const load = (names: readonly string[], rest: Pick<Load, 'annotations' | 'milestones'>): Load => ({
  namespace: NAMESPACE,
  names,
  ...rest,
});
/** Before what is counted, so that hot functions and connections are ready. */
const WARM_UP = Array.from({ length: 100 }, (_, i) => `warm-${String(i)}`);
const IN_ZONE = { 'ipam.vitistack.io/zone': 'bench' };

const writesBy = ({ auditFile }: ControlPlane, user: string): number =>
  usesIn(auditFile, user).filter(({ verb, resource }) => !READS.includes(verb) && !resource.startsWith('leases'))
    .length;

/** Measures a load with whoever runs. */
async function measured(
  plane: ControlPlane,
  what: Load,
  { metalLb, operator }: { readonly metalLb: OwnProcess; readonly operator?: RunningOperator },
): Promise<Measured> {
  const numbers = () => ({
    metalLbCpu: cpuSeconds(metalLb.pid),
    metalLbWrites: writesBy(plane, 'metallb'),
    operatorCpu: operator === undefined ? 0 : cpuSeconds(operator.pid),
    operatorWrites: writesBy(plane, OPERATOR),
  });
  const before = numbers();
  const result = await loadServices(plane, what);
  const after = numbers();
  return {
    ...result,
    metalLbCpu: after.metalLbCpu - before.metalLbCpu,
    metalLbWrites: after.metalLbWrites - before.metalLbWrites,
    operatorCpu: after.operatorCpu - before.operatorCpu,
    operatorWrites: after.operatorWrites - before.operatorWrites,
    memory: operator === undefined ? 0 : residentMiB(operator.pid),
  };
}

const POOL = {
  apiVersion: 'metallb.io/v1beta1',
  kind: 'IPAddressPool',
  metadata: { name: 'plain', namespace: METALLB_NAMESPACE },
  spec: { addresses: ['10.200.0.0/16'], autoAssign: true },
};

async function metalLbAlone(plane: ControlPlane, metalLb: OwnProcess, names: readonly string[]): Promise<Measured> {
  await plane.client.apply([POOL]);
  await loadServices(plane, load(WARM_UP, { annotations: {}, milestones: ['assigned'] }));
  const alone = await measured(plane, load(names, { annotations: {}, milestones: ['assigned'] }), { metalLb });
  await deleteServices(plane, NAMESPACE);
  await plane.client.request('DELETE', await plane.client.pathOf(POOL));
  return alone;
}

/** Restarts the operator with many stored Services, and lets it compare them a few times. */
async function atRest(plane: ControlPlane, services: number): Promise<Rest> {
  const start = performance.now();
  const operator = await startOperator(plane, { args: { resync: String(RESYNC_SECONDS) }, env: HEAP });
  const startSeconds = (performance.now() - start) / 1_000;
  await new Promise((resolve) => setTimeout(resolve, RESYNC_SECONDS * 1_000)); // the looks of the start are not counted
  const [cpu, writes] = [cpuSeconds(operator.pid), writesBy(plane, OPERATOR)];
  await new Promise((resolve) => setTimeout(resolve, RESYNCS * RESYNC_SECONDS * 1_000));
  const spent = cpuSeconds(operator.pid) - cpu;
  const memory = residentMiB(operator.pid);
  await operator.stop();
  const cpuPerService = (spent * 1e6) / (RESYNCS * services);
  return { services, startSeconds, memory, writes: writesBy(plane, OPERATOR) - writes, cpuPerService };
}

interface Sizes {
  readonly busy: number;
  readonly many: number;
}

async function run(plane: ControlPlane, { busy, many }: Sizes): Promise<readonly BenchResult[]> {
  await plane.client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }]);
  const metalLb = await startMetalLb(plane);
  const alone = await metalLbAlone(plane, metalLb, namesFrom(0, busy));
  const zones = [{ name: 'bench', prefixes: ['10.201.0.0/16'] }];
  await applyInstallation(plane, { zones, certificates: 'self-managed' });
  const operator = await startOperator(plane, { env: HEAP });
  const idle = residentMiB(operator.pid);
  const annotations = IN_ZONE;
  await loadServices(plane, load(WARM_UP, { annotations, milestones: ['ready', 'assigned'] }));
  const ours = await measured(
    plane,
    load(namesFrom(0, busy), { annotations, milestones: ['annotated', 'ready', 'assigned'] }),
    { metalLb, operator },
  );
  await metalLb.stop(); // its cost grows with the square of the Services
  await loadServices(plane, load(namesFrom(busy, many), { annotations, milestones: ['ready'] }));
  const memory = residentMiB(operator.pid);
  await operator.stop();
  const rest = await atRest(plane, many);
  return [...judgeBusy(busy, { alone, ours }), ...judgeRest(rest, { idle, memory })];
}

function judged(id: string, value: number, [gate, better, note]: Gate): BenchResult {
  const passes = better === 'lower' ? value <= gate : value >= gate;
  return { id: `cluster ${id}`, measured: value, gate, better, verdict: passes ? 'pass' : 'fail', note };
}

type Gate = readonly [gate: number, better: BenchResult['better'], note: string];

function judgeBusy(
  count: number,
  { alone, ours }: { readonly alone: Measured; readonly ours: Measured },
): readonly BenchResult[] {
  const seconds = (of: Measured): number => of.reached.assigned?.seconds ?? NaN;
  const spans = (of: LoadResult['created'] | undefined): string =>
    `p50 ${of?.p50Ms.toFixed(0) ?? '?'}, p99 ${of?.p99Ms.toFixed(0) ?? '?'} ms of a Service`;
  const { annotated, ready } = ours.reached;
  const id = (words: string): string => `${count} Services, ${words}`;
  return [
    judged(id('time until annotated vs created without us'), (annotated?.seconds ?? NaN) / alone.created.seconds, [
      ...([2, 'lower'] as const),
      `${annotated?.seconds.toFixed(2) ?? '?'} against ${alone.created.seconds.toFixed(2)} s; ${spans(annotated)}`,
    ]),
    judged(id("time until MetalLB's address vs MetalLB alone"), seconds(ours) / seconds(alone), [
      ...([1.5, 'lower'] as const),
      `${seconds(ours).toFixed(2)} against ${seconds(alone).toFixed(2)} s; condition of the last after ${ready?.seconds.toFixed(2) ?? '?'} s`,
    ]),
    judged(id('API writes of ours for each'), ours.operatorWrites / count, [
      ...([2, 'lower'] as const),
      `MetalLB: ${(ours.metalLbWrites / count).toFixed(2)} beside us, ${(alone.metalLbWrites / count).toFixed(2)} alone`,
    ]),
    judged(id('CPU of the operator vs MetalLB alone'), ours.operatorCpu / alone.metalLbCpu, [
      ...([2, 'lower'] as const),
      `${ours.operatorCpu.toFixed(2)} against ${alone.metalLbCpu.toFixed(2)} s, MetalLB beside us ${ours.metalLbCpu.toFixed(2)} s; ${ours.memory.toFixed(0)} MiB`,
    ]),
  ];
}

function judgeRest(
  rest: Rest,
  { idle, memory }: { readonly idle: number; readonly memory: number },
): readonly BenchResult[] {
  const id = (words: string): string => `${rest.services} unchanged Services, ${words}`;
  return [
    judged(id('writes of a resync'), rest.writes, [...([0, 'lower'] as const), `${RESYNCS} comparisons`]),
    judged(id('us CPU of a resync for each'), rest.cpuPerService, [
      ...([20, 'lower'] as const),
      `with all that an idle operator does; ready ${rest.startSeconds.toFixed(1)} s after a start`,
    ]),
    judged(id('resident MiB'), rest.memory, [
      ...([MEMORY_GATE_MIB, 'lower'] as const),
      `gate: 60 % of the Pod's ${DEFAULT_RESOURCES.memoryLimit}, no goal of performance.md; after a restart; ${memory.toFixed(0)} when they had just been made, ${idle.toFixed(0)} with none`,
    ]),
  ];
}

/** Runs the bench; `quick` takes fewer Services, `--large` on the command line more. */
export async function bench(quick: boolean): Promise<readonly BenchResult[]> {
  await startBuild();
  await waitForBinaries(COMPONENTS);
  const plane = await startControlPlane({ families: 'v4', audit: true });
  try {
    const busy = process.argv.includes('--large') ? 5_000 : quick ? 200 : 1_000;
    return await run(plane, { busy, many: quick ? 1_000 : 10_000 });
  } finally {
    await plane.stop();
  }
}
