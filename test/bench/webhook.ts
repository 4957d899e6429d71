/**
 * W1 and W2: the admission webhook against a Go `net/http` webhook and against bare `node:https`, all four servers up together,
 * measured in turn with the same reviews. CPU time is the server's own, from the kernel; latencies are the caller's.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { issueServingPair, makeAuthority } from '../../operator/server/self-signed';
import type { BenchResult } from './result';

type Variant = 'go' | 'bare' | 'stub' | 'store';

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

const here = join(__dirname, 'webhook');
const TICKS_PER_SECOND = 100; // USER_HZ of every Linux that Node runs on
let sent = 0;

function cpuMicros(pid: number): number {
  // fields 14 and 15 of proc(5) stat, counted after the name, which may hold blanks
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1e6) / TICKS_PER_SECOND;
}

async function start(command: string, words: readonly string[]): Promise<Server> {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  child.stdout.resume();
  return { child, port: Number(line) };
}

async function load({ port, child }: Server, connections: number, requests: number): Promise<Run> {
  const before = cpuMicros(child.pid ?? 0);
  const words = ['--import', 'tsx', join(here, 'load.ts'), port, connections, requests, sent].map(String);
  sent += requests;
  const caller = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: caller.stdout }), 'line')) as [string];
  await once(caller, 'close');
  return { ...(JSON.parse(line) as Load), cpu: (cpuMicros(child.pid ?? 0) - before) / requests };
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
  const node = (script: string, ...more: string[]) =>
    start(process.execPath, ['--import', 'tsx', join(here, script), ...files, ...more]);
  const go = buildGo(folder);
  const servers = new Map<Variant, Server>();
  if (go !== undefined) servers.set('go', await start(go, files));
  servers.set('bare', await node('bare-server.ts'));
  servers.set('stub', await node('our-server.ts', 'stub'));
  servers.set('store', await node('our-server.ts', join(folder, 'bench.sqlite')));
  return servers;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

interface Measured {
  readonly one: readonly Run[];
  readonly sixteen: readonly Run[];
}

async function measure(servers: ReadonlyMap<Variant, Server>, quick: boolean): Promise<ReadonlyMap<Variant, Measured>> {
  const [single, many] = quick ? [400, 2_000] : [2_000, 10_000];
  const found = new Map([...servers.keys()].map((variant) => [variant, { one: [] as Run[], sixteen: [] as Run[] }]));
  for (const server of servers.values()) await load(server, 16, quick ? 1_500 : 4_000); // warm code, not counted
  for (let round = 0; round < 3; round += 1) {
    for (const [variant, server] of servers) {
      found.get(variant)?.one.push(await load(server, 1, single));
      found.get(variant)?.sixteen.push(await load(server, 16, many));
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
  { id: 'W1 CPU per review, stub book vs Go net/http', of: 'stub', against: 'go', gate: 1, value: cpu },
  { id: 'W1 CPU per review, stub book vs bare node:https', of: 'stub', against: 'bare', gate: 1.25, value: cpu },
  { id: 'W2 p50 at 1 connection, stub book vs Go', of: 'stub', against: 'go', gate: 1.1, value: p50One },
  { id: 'W2 p99 at 16 connections, stub book vs Go', of: 'stub', against: 'go', gate: 1.5, value: p99Many },
  {
    id: 'W2 p50 at 16 connections, with the store vs stub book',
    of: 'store',
    against: 'stub',
    gate: 2,
    value: p50Many,
  },
];

function judge(measured: ReadonlyMap<Variant, Measured>): readonly BenchResult[] {
  const ratios = GATES.map(({ id, of, against, gate, value }): BenchResult => {
    const [ours, theirs] = [measured.get(of), measured.get(against)];
    if (ours === undefined || theirs === undefined)
      return { id, measured: NaN, gate, better: 'lower', verdict: 'skipped', note: 'go is not installed' };
    const ratio = value(ours) / value(theirs);
    const note = `${value(ours).toFixed(3)} against ${value(theirs).toFixed(3)} ${value === cpu ? 'µs' : 'ms'}`;
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
    return judge(await measure(servers, quick));
  } finally {
    for (const { child } of servers.values()) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}
