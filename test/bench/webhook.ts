/**
 * W1 and W2: the admission webhook against a Go `net/http` webhook and against bare `node:https`, all servers up together,
 * measured in turn with the same reviews. CPU time is the server's own, from the kernel; latencies are the caller's. Ours
 * runs as bundled for the image: with `tsx`, hot closures would pay for names that no product has.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { issueServingPair, makeAuthority } from '../../operator/server/self-signed';
import type { BenchResult } from './result';

type Variant = 'go' | 'bare' | 'stub' | 'door' | 'store';

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
}

interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
}

/** One run: what the callers saw, and the server's CPU microseconds for each request. */
interface Run extends Load {
  readonly cpu: number;
}

let sent = 0;

/** CPU time of all threads, since the kernel counts that of a process in steps of 10 ms only. */
function cpuMicros(pid: number): number {
  const ofThread = (thread: string): number =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + ofThread(thread), 0) / 1000;
}

async function start(command: string, words: readonly string[]): Promise<Server> {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  child.stdout.resume();
  return { child, port: Number(line) };
}

interface Sending {
  readonly folder: string;
  readonly connections: number;
  readonly requests: number;
}

async function load({ port, child }: Server, { folder, connections, requests }: Sending): Promise<Run> {
  const before = cpuMicros(child.pid ?? 0);
  const words = [join(folder, 'load.js'), port, connections, requests, sent].map(String);
  sent += requests;
  const caller = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: caller.stdout }), 'line')) as [string];
  const cpu = (cpuMicros(child.pid ?? 0) - before) / requests;
  await once(caller, 'close');
  return { ...(JSON.parse(line) as Load), cpu };
}

async function bundle(folder: string): Promise<void> {
  const here = join(__dirname, 'webhook');
  const entryPoints = ['bare-server', 'our-server', 'load'].map((name) => join(here, `${name}.ts`));
  await build({
    entryPoints: [...entryPoints, join(__dirname, '../../operator/backends/sql/sqlite/sqlite-worker.ts')],
    entryNames: '[name]', // side by side, as the store looks for its worker
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    logLevel: 'warning',
  });
}

function buildGo(folder: string): string | undefined {
  const binary = join(folder, 'webhook-ref');
  const built = spawnSync('go', ['build', '-o', binary, '.'], { cwd: join(__dirname, 'ref/webhook') });
  return built.status === 0 ? binary : undefined;
}

async function startAll(folder: string): Promise<ReadonlyMap<Variant, Server>> {
  const pair = await issueServingPair(await makeAuthority(Date.now()), { names: ['localhost'], nowMs: Date.now() });
  const files = [join(folder, 'tls.crt'), join(folder, 'tls.key')] as const;
  writeFileSync(files[0], pair.certificate);
  writeFileSync(files[1], pair.key);
  await bundle(folder);
  const node = (script: string, ...more: string[]) =>
    start(process.execPath, [join(folder, script), ...files, ...more]);
  const go = buildGo(folder);
  const servers = new Map<Variant, Server>();
  if (go !== undefined) servers.set('go', await start(go, files));
  servers.set('bare', await node('bare-server.js'));
  servers.set('stub', await node('our-server.js', 'stub'));
  servers.set('door', await node('our-server.js', 'door'));
  servers.set('store', await node('our-server.js', join(folder, 'bench.sqlite')));
  return servers;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

interface Measured {
  readonly one: readonly Run[];
  readonly sixteen: readonly Run[];
}

/**
 * Reviews before the first one that counts, quick and full. V8 takes some 20,000 until no hot function of a server waits for
 * its optimising compiler, Go needs none. Two servers that a gate compares are equally warm; what has no gate gets fewer in a
 * quick run.
 */
const WARM_UP: Readonly<Record<Variant, readonly [quick: number, full: number]>> = {
  go: [500, 5_000],
  bare: [15_000, 20_000],
  stub: [15_000, 20_000],
  door: [2_000, 20_000],
  store: [15_000, 20_000],
};

async function measure(
  servers: ReadonlyMap<Variant, Server>,
  { folder, quick }: { readonly folder: string; readonly quick: boolean },
): Promise<ReadonlyMap<Variant, Measured>> {
  const [single, many] = quick ? [300, 1_000] : [2_000, 6_000];
  const found = new Map([...servers.keys()].map((variant) => [variant, { one: [] as Run[], sixteen: [] as Run[] }]));
  for (const [variant, server] of servers)
    await load(server, { folder, connections: 16, requests: WARM_UP[variant][quick ? 0 : 1] }); // not counted
  for (let round = 0; round < 3; round += 1) {
    // there and back, so that nobody always follows the same neighbour
    const order = round % 2 === 0 ? [...servers] : [...servers].reverse();
    for (const [variant, server] of order) {
      found.get(variant)?.one.push(await load(server, { folder, connections: 1, requests: single }));
      found.get(variant)?.sixteen.push(await load(server, { folder, connections: 16, requests: many }));
    }
  }
  return found;
}

interface Gate {
  readonly id: string;
  readonly of: Variant;
  readonly against: Variant;
  readonly gate: number;
  readonly value: (measured: Measured) => number;
}

const cpu = ({ sixteen }: Measured): number => median(sixteen.map((run) => run.cpu));
const p50One = ({ one }: Measured): number => median(one.map((run) => run.p50));
const p50Many = ({ sixteen }: Measured): number => median(sixteen.map((run) => run.p50));
const p99Many = ({ sixteen }: Measured): number => median(sixteen.map((run) => run.p99));

const GATES: readonly Gate[] = [
  { id: 'W1 CPU per review, stub handler vs Go net/http', of: 'stub', against: 'go', gate: 1, value: cpu },
  { id: 'W1 CPU per review, stub handler vs bare node:https', of: 'stub', against: 'bare', gate: 1.25, value: cpu },
  { id: 'W2 p50 at 1 connection, stub handler vs Go', of: 'stub', against: 'go', gate: 1.1, value: p50One },
  { id: 'W2 p99 at 16 connections, stub handler vs Go', of: 'stub', against: 'go', gate: 1.5, value: p99Many },
  {
    id: 'W2 p50 at 16 connections, with the store vs stub handler',
    of: 'store',
    against: 'stub',
    gate: 2,
    value: p50Many,
  },
];

/** Costs that the door and the store add; they have no gate of their own. */
function costs(measured: ReadonlyMap<Variant, Measured>): string {
  const words = [...measured].map(([variant, runs]) => `${variant} ${cpu(runs).toFixed(0)}`);
  return `CPU µs per review: ${words.join(', ')}`;
}

function judge(measured: ReadonlyMap<Variant, Measured>): readonly BenchResult[] {
  const ratios = GATES.map(({ id, of, against, gate, value }): BenchResult => {
    const [ours, theirs] = [measured.get(of), measured.get(against)];
    if (ours === undefined || theirs === undefined)
      return { id, measured: NaN, gate, better: 'lower', verdict: 'skipped', note: 'go is not installed' };
    const ratio = value(ours) / value(theirs);
    const unit = value === cpu ? 'µs' : 'ms';
    const also = of === 'store' ? `; ${costs(measured)}` : '';
    const note = `${value(ours).toFixed(3)} against ${value(theirs).toFixed(3)} ${unit}${also}`;
    return { id, measured: ratio, gate, better: 'lower', verdict: ratio <= gate ? 'pass' : 'fail', note };
  });
  const errors = [...measured.values()]
    .flatMap(({ one, sixteen }) => [...one, ...sixteen])
    .reduce((sum, run) => sum + run.errors, 0);
  return [
    ...ratios,
    { id: 'W2 failed reviews', measured: errors, gate: 0, better: 'lower', verdict: errors === 0 ? 'pass' : 'fail' },
  ];
}

/** Runs the bench; `quick` sends fewer reviews. */
export async function bench(quick: boolean): Promise<readonly BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ipam-bench-'));
  const servers = await startAll(folder);
  try {
    return judge(await measure(servers, { folder, quick }));
  } finally {
    for (const { child } of servers.values()) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}
