/**
 * K4 as a whole process: what the bundled operator costs beside 10,000 Services on which nothing is left to do, with an API server of
 * this process in place of a real one. `npm run bench -- cluster` measures the same on a real one, in many minutes.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { JsonMap } from '../../operator/contract/loose-json';
import { cpuSeconds, residentMiB } from './cluster/process-cost';
import { MEMORY_GATE_MIB } from './cluster/memory-gate';
import { admitBesideResync, type BesideResync } from './rest/beside-resync';
import { startOperator, type RestingOperator } from './rest/operator';
import { settledService } from './rest/settled-services';
import { StandInApi } from './rest/stand-in-api';
import type { BenchResult } from './result';
import { freePort } from '../support/free-ports';

const ROOT = resolve(__dirname, '../..');
/** The shortest that the operator takes. */
const RESYNC_SECONDS = 10;
/** Processor time in so many milliseconds below which nothing but an idle process is at work. */
const QUIET_MS = 300;
const PATIENCE_MS = 180_000;

const seconds = (count: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, count * 1_000);
  });

function prepared(services: readonly JsonMap[]): StandInApi {
  const api = new StandInApi();
  const shops = Array.from({ length: 1_000 }, (_, i) => `shop-${String(i)}`);
  for (const name of ['kube-system', 'default', 'ipam-system', 'bench', ...shops])
    api.put('namespaces', { metadata: { name } });
  api.put('servicecidrs', { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/16'] } });
  for (const service of services) api.put('services', service);
  return api;
}

/** Waits until the looks of the start are over. */
async function untilQuiet({ pid }: RestingOperator): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (let before = cpuSeconds(pid); performance.now() < end; before = cpuSeconds(pid)) {
    await seconds(RESYNC_SECONDS);
    if ((cpuSeconds(pid) - before) * 1_000 < QUIET_MS) return;
  }
}

interface Rest {
  readonly cpuSeconds: number;
  readonly memory: number;
  readonly writes: number;
  /** Of what was admitted afterwards, on the same operator; absent where there is no Service to compare. */
  readonly admissions?: BesideResync;
}

async function measured(services: readonly JsonMap[], { bundle, rounds }: Run): Promise<Rest> {
  const folder = mkdtempSync(join(tmpdir(), 'ipam-rest-'));
  const api = prepared(services);
  try {
    const port = await freePort();
    const place = { bundle, folder, server: await api.start(), port };
    const first = await startOperator(place); // puts everything on record
    await untilQuiet(first);
    await first.stop();
    const operator = await startOperator(place, [`--resync=${String(RESYNC_SECONDS)}`]);
    await untilQuiet(operator);
    const [cpu, writes] = [cpuSeconds(operator.pid), api.writes];
    await seconds(RESYNC_SECONDS * rounds);
    const spent = cpuSeconds(operator.pid) - cpu;
    const [memory, written] = [residentMiB(operator.pid), api.writes - writes];
    const admitFor = services.length === 0 ? 0 : RESYNC_SECONDS * rounds * 2;
    const admissions =
      admitFor === 0 ? {} : { admissions: await admitBesideResync(port, admitFor, api.servicePagesMs) };
    await operator.stop();
    return { cpuSeconds: spent / rounds, memory, writes: written, ...admissions };
  } finally {
    await api.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Run {
  readonly bundle: string;
  readonly rounds: number;
}

/** The cheapest way to look at everything anew: parsing the list and nothing else. */
function parseSeconds(services: readonly JsonMap[]): number {
  const text = JSON.stringify(services);
  JSON.parse(text);
  const start = process.cpuUsage();
  JSON.parse(text);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

function judge(id: string, value: number, [gate, note]: readonly [number, string]): BenchResult {
  return { id, measured: value, gate, better: 'lower', verdict: value <= gate ? 'pass' : 'fail', note };
}

function admissionRows(what: string, { during, without, failed, resyncs }: BesideResync): readonly BenchResult[] {
  const of = ({ count, p50, p99, most }: BesideResync['during']): string =>
    `${String(count)} with p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, most ${most.toFixed(1)} ms`;
  const note = `beside ${String(resyncs)} resyncs ${of(during)}; without one ${of(without)}`;
  return [
    judge(`FU-07 ${what}, ms that a resync adds to p99 of an admission`, during.p99 - without.p99, [50, note]),
    judge(`FU-07 ${what}, failed admissions`, failed, [0, 'of both kinds']),
  ];
}

/** Runs the bench; `quick` takes fewer Services and comparisons. */
export async function bench(quick: boolean): Promise<readonly BenchResult[]> {
  const count = quick ? 2_000 : 10_000;
  const what = `${String(count)} unchanged Services`;
  if (process.platform !== 'linux')
    return [{ ...judge(`K4 ${what}`, NaN, [20, 'reads /proc']), verdict: 'skipped' as const }];
  const bundle = mkdtempSync(join(tmpdir(), 'ipam-rest-bundle-'));
  try {
    execFileSync(process.execPath, [join(ROOT, 'test/support/bundle.mjs'), bundle], { cwd: ROOT });
    const services = Array.from({ length: count }, (_, i) => settledService(i));
    const run = { bundle, rounds: quick ? 2 : 3 };
    const none = await measured([], run);
    const { cpuSeconds: cpu, memory, writes, admissions } = await measured(services, run);
    const parse = parseSeconds(services);
    const more = Math.max(0, cpu - none.cpuSeconds);
    const ms = (of: number): string => (of * 1_000).toFixed(0);
    const [all, idle] = [ms(cpu), ms(none.cpuSeconds)];
    return [
      judge(`K4 ${what}, writes of ${String(run.rounds)} resyncs`, writes, [0, 'of the bundled operator']),
      judge(`K4 ${what}, us CPU of a resync for each`, (cpu * 1e6) / count, [
        ...([20, `${all} ms in ${String(RESYNC_SECONDS)} s, ${idle} ms of them with no Service at all`] as const),
      ]),
      judge(`K4 ${what}, resync vs JSON.parse of their list`, more / parse, [1, `which takes ${ms(parse)} ms`]),
      judge(`${what}, resident MiB`, memory, [
        ...([MEMORY_GATE_MIB, `heap as in the Pod; ${none.memory.toFixed(0)} with none`] as const),
      ]),
      ...(admissions === undefined ? [] : admissionRows(what, admissions)),
    ];
  } finally {
    rmSync(bundle, { recursive: true, force: true });
  }
}
