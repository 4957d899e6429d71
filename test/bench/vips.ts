/**
 * The VIPs door on a real API server, beside MetalLB's controller with a class of its own and a client that makes the same writes:
 * `npm run bench -- vips [--quick | --tiny]`. Runs only when it is named; Linux as root, as `npm run test:cluster`. Each one runs
 * alone in the same cluster; the client before and after the door, since a busy machine drifts.
 */
import { COMPONENTS } from '../cluster/components/recipes';
import { makeAdministrator } from '../cluster/support/administrator';
import { waitForBinaries } from '../cluster/support/binaries';
import { startControlPlane, type ControlPlane } from '../cluster/support/control-plane';
import { applyInstallation } from '../cluster/support/installation';
import { installMetalLbKinds } from '../cluster/support/neighbours';
import { startBuild } from '../cluster/support/start-build';
import { MEMORY_GATE_MIB } from './cluster/memory-gate';
import { judged as judge, type BenchResult, type BenchSize, type Judged } from './result';
import { BARE_CLIENT, CLIENT_NAMESPACE, DOOR, METALLB, NAMESPACE } from './vips/contestants';
import { measure, type Measured } from './vips/measure';

const SIZES: Readonly<Record<BenchSize, readonly number[]>> = {
  full: [1_000, 5_000],
  quick: [200, 1_000],
  tiny: [5, 10],
};

/** Writes of the door for each Service: the IP and the status. A few more are repeated, where a Service changes at the same moment. */
const MOST_WRITES = 2.02;
/** Writes of the counters of one group, each second. */
const MOST_COUNTS = 2.1;
const COUNTERS = 'patch ipgroups/status';
/** Writes that a client may make before a comparison with it says nothing any more. */
const MOST_BARE_WRITES = 4;

/** All of one size, in one run. */
interface Round {
  readonly bare: readonly Measured[];
  readonly door: Measured;
  readonly metalLb: Measured;
}

async function prepare(plane: ControlPlane): Promise<void> {
  await installMetalLbKinds(plane);
  await applyInstallation(plane, {
    services: { enabled: false },
    vips: { enabled: true },
    crds: { breakGlassGroup: `system:serviceaccounts:${CLIENT_NAMESPACE}` },
  });
  await plane.client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }]);
  await makeAdministrator(plane, { name: 'bare', namespace: CLIENT_NAMESPACE });
}

async function roundOf(plane: ControlPlane, services: number): Promise<Round> {
  const before = await measure(plane, BARE_CLIENT, services);
  const door = await measure(plane, DOOR, services);
  const after = await measure(plane, BARE_CLIENT, services);
  return { bare: [before, after], door, metalLb: await measure(plane, METALLB, services) };
}

const mean = (of: readonly Measured[], field: 'seconds' | 'cpu' | 'memory' | 'writes' | 'requests'): number =>
  of.reduce((sum, each) => sum + each[field], 0) / of.length;

const judged = (id: string, of: Judged): BenchResult => judge(`vips ${id}`, of);

/** Has no gate: the figure is reported. */
const reported = (id: string, value: number, note: string): BenchResult =>
  judged(id, { value, gate: 0, better: 'higher', note: `${note}; reported, no gate` });

const each = (value: number): string => value.toFixed(2);
const countersOf = ({ byKind }: Measured): number => byKind.get(COUNTERS) ?? 0;
const perService = ({ byKind, services }: Measured): string =>
  [...byKind].map(([kind, count]) => `${kind} ${each(count / services)}`).join(', ');
const spansOf = ({ load: { reached } }: Measured): string =>
  `p50 ${reached.assigned?.p50Ms.toFixed(0) ?? '?'}, p99 ${reached.assigned?.p99Ms.toFixed(0) ?? '?'} ms of a Service`;

function judgeRound({ bare, door, metalLb }: Round): readonly BenchResult[] {
  const { services } = door;
  const id = (words: string): string => `${String(services)} Services, ${words}`;
  const [first = door] = bare;
  const clients = bare.map(({ seconds }) => each(seconds)).join(' and ');
  const cpuOf = (of: Measured): number => (of.cpu * 1_000) / services;
  return [
    judged(id('rate vs the bare client'), {
      value: mean(bare, 'seconds') / door.seconds,
      gate: 0.7,
      better: 'higher',
      note: `${each(door.seconds)} against ${clients} s; ${spansOf(door)}, client ${spansOf(first)}`,
    }),
    reported(
      id('rate vs MetalLB'),
      metalLb.seconds / door.seconds,
      `MetalLB ${each(metalLb.seconds)} s; ${spansOf(metalLb)}`,
    ),
    judged(id('API writes of each, counters apart'), {
      value: (door.writes - countersOf(door)) / services,
      gate: MOST_WRITES,
      better: 'lower',
      note: `${perService(door)}; with reads ${each(door.requests / services)}, MetalLB ${each(metalLb.requests / services)} (${perService(metalLb)})`,
    }),
    judged(id('writes of the counters each second'), {
      value: countersOf(door) / Math.max(1, door.seconds),
      gate: MOST_COUNTS,
      better: 'lower',
      note: 'of the one group that gives all addresses',
    }),
    judged(id('API writes of each by the client'), {
      value: mean(bare, 'writes') / services,
      gate: MOST_BARE_WRITES,
      better: 'lower',
      note: perService(first),
    }),
    reported(
      id('CPU vs MetalLB'),
      metalLb.cpu / door.cpu,
      `ms of each: door ${each(cpuOf(door))}, MetalLB ${each(cpuOf(metalLb))}, client ${each((mean(bare, 'cpu') * 1_000) / services)}`,
    ),
    judged(id('resident MiB'), {
      value: door.memory,
      gate: MEMORY_GATE_MIB,
      better: 'lower',
      note: `MetalLB ${metalLb.memory.toFixed(0)}, client ${mean(bare, 'memory').toFixed(0)}`,
    }),
  ];
}

/** Time and CPU of one Service with many, against those with few; the API server has more to do with many, as the client shows. */
function judgeGrowth(few: Round, many: Round): readonly BenchResult[] {
  const ofEach = (field: 'seconds' | 'cpu', of: Measured): number => of[field] / of.services;
  const growth = (field: 'seconds' | 'cpu', pick: (round: Round) => readonly Measured[]): number => {
    const [small, large] = [pick(few), pick(many)].map((all) => mean(all, field) / (all[0]?.services ?? NaN));
    return (large ?? NaN) / (small ?? NaN);
  };
  const id = `of each, ${String(many.door.services)} vs ${String(few.door.services)}`;
  const note = (field: 'seconds' | 'cpu'): string =>
    `${(ofEach(field, few.door) * 1_000).toFixed(2)} to ${(ofEach(field, many.door) * 1_000).toFixed(2)} ms; client ${each(growth(field, ({ bare }) => bare))}, MetalLB ${each(growth(field, ({ metalLb }) => [metalLb]))}`;
  return (['seconds', 'cpu'] as const).map((field) =>
    judged(`${field === 'seconds' ? 'time' : 'CPU'} ${id}`, {
      value: growth(field, ({ door }) => [door]),
      gate: 1.3,
      better: 'lower',
      note: note(field),
    }),
  );
}

/** Runs the bench. */
export async function bench(size: BenchSize): Promise<readonly BenchResult[]> {
  await startBuild();
  await waitForBinaries(COMPONENTS);
  const plane = await startControlPlane({ families: 'v4', audit: true });
  try {
    await prepare(plane);
    const rounds: Round[] = [];
    for (const services of SIZES[size]) rounds.push(await roundOf(plane, services));
    const [few, many] = rounds;
    return [...rounds.flatMap(judgeRound), ...(few === undefined || many === undefined ? [] : judgeGrowth(few, many))];
  } finally {
    await plane.stop();
  }
}
