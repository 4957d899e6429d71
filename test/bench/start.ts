/** Start of the bundled operator, from its process to readiness, and of the command line. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundleOperator, startOperator } from '../demo/processes';
import type { BenchResult } from './result';

const root = resolve(__dirname, '../..');
const ZONES = 'version: 1\nservices: { defaultZone: lan }\nzones:\n  - name: lan\n    prefixes: [192.0.2.0/28]\n';
const GATE_MS = 500;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

/** Milliseconds of CPU that an empty program of Node.js takes, which nobody can start below. */
function bareMs(): number {
  const script = 'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)';
  return Number(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout);
}

/**
 * Milliseconds of CPU of the main thread until the operator says that it is ready, on Linux. Those of the compiler's threads and of
 * the store's run beside it, so this is the time on a machine with nothing else to do.
 */
async function startMs(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'ipam-start-'));
  try {
    const operator = await startOperator({ root, folder, zones: ZONES });
    // CPU time in ticks of 10 ms, after the name in brackets
    const fields = readFileSync(`/proc/${operator.pid}/task/${operator.pid}/stat`, 'utf8')
      .replace(/^.*\) /su, '')
      .split(' ');
    await operator.stop();
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the bench; `quick` takes fewer rounds. */
export async function bench(quick: boolean): Promise<readonly BenchResult[]> {
  const id = 'start of the operator until it is ready, ms of CPU of its main thread';
  const how = { id, gate: GATE_MS, better: 'lower' } as const;
  if (process.platform !== 'linux') return [{ ...how, measured: NaN, verdict: 'skipped', note: 'reads /proc' }];
  await bundleOperator(root);
  const rounds: number[] = [];
  for (let i = 0; i < (quick ? 3 : 9); i++) rounds.push(await startMs());
  const measured = median(rounds);
  const note = `an empty program of Node.js takes ${bareMs().toFixed(0)}`;
  return [{ ...how, measured, verdict: measured <= GATE_MS ? 'pass' : 'fail', note }];
}
