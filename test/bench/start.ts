/** Start of the operator out of the packed tree, from its process to readiness. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundleOperator, startOperator } from '../demo/processes';
import type { BenchResult } from './result';

const root = resolve(__dirname, '../..');
const ZONES = 'version: 1\nservices: { defaultZone: lan }\nzones:\n  - name: lan\n    prefixes: [192.0.2.0/28]\n';
const GATE_MS = 500;
/** Most of the time that the framework alone takes, which is about half of what a server needs. */
const GATE_RATIO = 5;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

/** Packs the bundle as a registry would get it, and unpacks it. */
async function packedTree(folder: string): Promise<string> {
  await bundleOperator(root);
  // the script before packing would compile all that is not started here
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
  const file = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  execFileSync('tar', ['-xzf', join(folder, file), '-C', folder]);
  return join(folder, 'package');
}

/** Milliseconds of CPU that a program of Node.js takes to its end. */
function programMs(code: string): number {
  const script = `${code}; const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)`;
  return Number(execFileSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' }));
}

/** CPU time of a process or of one of its threads in milliseconds, on Linux. */
function cpuMs(path: string): number {
  // in ticks of 10 ms, after the name in brackets
  const fields = readFileSync(`/proc/${path}/stat`, 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

interface Start {
  /** Until it says that it is ready. */
  readonly wallMs: number;
  /** CPU time of all threads, those of the compiler and of the store too. */
  readonly allMs: number;
  readonly mainMs: number;
}

async function started(packed: string, folder: string): Promise<Start> {
  mkdirSync(folder);
  const began = performance.now();
  const operator = await startOperator({ root: packed, folder, zones: ZONES });
  const wallMs = performance.now() - began;
  const pid = String(operator.pid);
  const cpu = { allMs: cpuMs(pid), mainMs: cpuMs(`${pid}/task/${pid}`) };
  await operator.stop();
  return { wallMs, ...cpu };
}

async function measured(rounds: number, folder: string): Promise<readonly BenchResult[]> {
  const packed = await packedTree(folder);
  const starts: Start[] = [];
  const bare: number[] = [];
  const framework: number[] = [];
  for (let i = 0; i < rounds; i++) {
    bare.push(programMs(''));
    framework.push(programMs("require('fastify')"));
    starts.push(await started(packed, join(folder, `data-${String(i)}`)));
  }
  const { wallMs, allMs, mainMs } = {
    wallMs: median(starts.map((each) => each.wallMs)).toFixed(0),
    allMs: median(starts.map((each) => each.allMs)),
    mainMs: median(starts.map((each) => each.mainMs)).toFixed(0),
  };
  const other = median(framework);
  const note = `${mainMs} on its main thread, ${wallMs} by the clock; an empty program of Node.js takes ${median(bare).toFixed(0)}`;
  const judged = (value: number, gate: number) => ({
    measured: value,
    gate,
    better: 'lower' as const,
    verdict: value <= gate ? ('pass' as const) : ('fail' as const),
  });
  return [
    { id: IDS[0], ...judged(allMs, GATE_MS), note },
    { id: IDS[1], ...judged(allMs / other, GATE_RATIO), note: `which takes ${other.toFixed(0)} ms` },
  ];
}

const IDS = [
  'start of the packed operator until it is ready, ms of CPU',
  "start of the packed operator vs require('fastify') alone",
] as const;

/** Runs the bench; `quick` takes fewer rounds. */
export async function bench(quick: boolean): Promise<readonly BenchResult[]> {
  if (process.platform !== 'linux') {
    const skipped = { measured: NaN, better: 'lower', verdict: 'skipped', note: 'reads /proc' } as const;
    return [
      { id: IDS[0], gate: GATE_MS, ...skipped },
      { id: IDS[1], gate: GATE_RATIO, ...skipped },
    ];
  }
  const folder = mkdtempSync(join(tmpdir(), 'ipam-start-'));
  try {
    return await measured(quick ? 3 : 9, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
