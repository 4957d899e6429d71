/**
 * The Egress door on a real API server, with the kinds of OVN-Kubernetes and of OpenShift SDN, beside a client that makes the same writes and
 * decides nothing: `npm run bench -- egress [--quick | --tiny]`. Runs only when it is named; Linux as root, as `npm run test:cluster`. Growth
 * and fail-over are measured with OpenShift SDN, where the door chooses the nodes. Times and the rate of the client are reported without a gate,
 * since other work on the machine decides them; writes, memory and growth are judged.
 */
import { COMPONENTS } from '../cluster/components/recipes';
import { waitForBinaries } from '../cluster/support/binaries';
import { startControlPlane, type ControlPlane } from '../cluster/support/control-plane';
import { startBuild } from '../cluster/support/start-build';
import { MEMORY_GATE_MIB } from './cluster/memory-gate';
import { measureBare, measureDoor, type Assigned, type Measured, type Run } from './egress/measure';
import { installScene, makeNodes, type BenchDataplane } from './egress/scene';
import { judged as judge, reported as report, type BenchResult, type BenchSize, type Judged } from './result';

interface Size {
  readonly nodes: number;
  readonly few: number;
  readonly many: number;
  /** Length of small CIDRs, which hold the addresses of the few. */
  readonly small: number;
}

const SIZES: Readonly<Record<BenchSize, Size>> = {
  full: { nodes: 100, few: 250, many: 2_000, small: 24 },
  quick: { nodes: 20, few: 100, many: 400, small: 24 },
  tiny: { nodes: 6, few: 3, many: 6, small: 28 },
};
const LARGE = 8;

/** Three claims, the list of the Namespace and the object of the dataplane. */
const MOST_WRITES = 5.1;
const NOT_OF_NAMESPACES = /egressipams|nodes|hostsubnets|configurations/u;

const judged = (id: string, of: Judged): BenchResult => judge(`egress ${id}`, of);
const reported = (id: string, of: Omit<Judged, 'gate'>): BenchResult => report(`egress ${id}`, of);

const each = (value: number): string => value.toFixed(2);
const idOf = ({ run }: Assigned): string => `${run.dataplane}, ${String(run.namespaces)} of /${String(run.length)}`;
const spansOf = ({ seconds, p50Ms, p99Ms }: Assigned): string =>
  `all ${each(seconds)} s, p50 ${p50Ms.toFixed(0)}, p99 ${p99Ms.toFixed(0)} ms`;
const perNamespace = ({ byKind, run }: Assigned): string =>
  [...byKind].map(([kind, count]) => `${kind} ${each(count / run.namespaces)}`).join(', ');

function writesOfEach({ byKind, run }: Assigned): number {
  const own = [...byKind].filter(([kind]) => !NOT_OF_NAMESPACES.test(kind));
  return own.reduce((sum, [, count]) => sum + count, 0) / run.namespaces;
}

function judgeDoor(door: Measured): readonly BenchResult[] {
  const id = (words: string): string => `${idOf(door)}, ${words}`;
  const { failOver } = door;
  return [
    reported(id('seconds to the first addresses'), { value: door.firstSeconds, better: 'lower', note: spansOf(door) }),
    judged(id('API writes of each'), {
      value: writesOfEach(door),
      gate: MOST_WRITES,
      better: 'lower',
      note: perNamespace(door),
    }),
    judged(id('writes of the next term'), {
      value: door.writesAgain,
      gate: 0,
      better: 'lower',
      note: 'to what was there before it',
    }),
    judged(id('resident MiB'), {
      value: door.memory,
      gate: MEMORY_GATE_MIB,
      better: 'lower',
      note: `CPU ms of each ${each((door.cpu * 1_000) / door.run.namespaces)}`,
    }),
    ...(failOver === undefined
      ? []
      : [
          reported(id('seconds of a fail-over'), {
            value: failOver.seconds,
            better: 'lower',
            note: `${String(failOver.addresses)} addresses of one node`,
          }),
        ]),
  ];
}

function rateOf(door: Measured, bare: Assigned): BenchResult {
  return reported(`${idOf(door)}, rate vs the bare client`, {
    value: bare.seconds / door.seconds,
    better: 'higher',
    note: `${spansOf(door)} against ${each(bare.seconds)} s; writes of the client: ${perNamespace(bare)}`,
  });
}

/** CPU of one Namespace, which other work on the machine does not change. */
function judgeGrowth(words: string, from: Assigned, to: Assigned): BenchResult {
  const ofEach = ({ cpu, run }: Assigned): number => (cpu * 1_000) / run.namespaces;
  return judged(`${to.run.dataplane}, CPU of each, ${words}`, {
    value: ofEach(to) / ofEach(from),
    gate: 1.3,
    better: 'lower',
    note: `${each(ofEach(from))} to ${each(ofEach(to))} ms`,
  });
}

const scenes: Readonly<Record<BenchDataplane, (plane: ControlPlane, size: Size) => Promise<readonly BenchResult[]>>> = {
  'openshift-sdn': async (plane, { few: fewer, many: more, small: length }) => {
    const run = (namespaces: number, of: number): Run => ({ dataplane: 'openshift-sdn', namespaces, length: of });
    const small = await measureDoor(plane, run(fewer, length), 'small');
    const few = await measureDoor(plane, run(fewer, LARGE), 'few');
    const many = await measureDoor(plane, { ...run(more, LARGE), isLast: true }, 'many');
    return [
      ...[small, few, many].flatMap(judgeDoor),
      judgeGrowth(`/${String(LARGE)} vs /${String(length)}`, small, few),
      judgeGrowth(`${String(more)} vs ${String(fewer)}`, few, many),
    ];
  },
  'ovn-kubernetes': async (plane, { few }) => {
    const run: Run = { dataplane: 'ovn-kubernetes', namespaces: few, length: LARGE };
    const bare = await measureBare(plane, run, 'bare');
    const door = await measureDoor(plane, { ...run, isLast: true }, 'few');
    return [rateOf(door, bare), ...judgeDoor(door)];
  },
};

async function benchOf(dataplane: BenchDataplane, size: Size): Promise<readonly BenchResult[]> {
  const plane = await startControlPlane({ families: 'v4', audit: true });
  try {
    await installScene(plane, dataplane);
    await makeNodes(plane, dataplane, size.nodes);
    return await scenes[dataplane](plane, size);
  } finally {
    await plane.stop();
  }
}

/** Runs the bench. */
export async function bench(size: BenchSize): Promise<readonly BenchResult[]> {
  await startBuild();
  await waitForBinaries(COMPONENTS);
  const sdn = await benchOf('openshift-sdn', SIZES[size]);
  return [...sdn, ...(await benchOf('ovn-kubernetes', SIZES[size]))];
}
