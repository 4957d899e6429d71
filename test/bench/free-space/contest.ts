import { buildSync } from 'esbuild';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { BenchResult } from '../result';
import type { Load } from './shape';

const ANSWER_MILLISECONDS = 120_000;

/** A shape under a load: the file in `shapes/`, the name of its export, what it holds. */
export interface Entry {
  readonly file: string;
  readonly name: string;
  readonly load: Load;
  /** A program that speaks the protocol of `serve.ts`, instead of the shape's file. */
  readonly program?: readonly [command: string, parameters: readonly string[]];
  /** Input that the program reads before it is ready. */
  readonly input?: string;
  /** False for a shape that gives other addresses by design (random start). */
  readonly agrees?: boolean;
}

/** Measures of one entry of a contest. */
export interface Score {
  /** CPU nanoseconds per operation, one for each round. */
  readonly nanoseconds: readonly number[];
  readonly bytes: number;
}

/** Bundles each shape as the product is bundled (`test/support/bundle.mjs`), once for this process; gives the folder. */
function bundleShapes(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ipam-bench-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  buildSync({
    entryPoints: [join(__dirname, 'shapes', '*.ts')],
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    logLevel: 'warning',
  });
  return folder;
}

let bundles: string | undefined;

class Runner {
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  constructor(entry: Entry, sampleMilliseconds: number) {
    bundles ??= bundleShapes();
    const script = join(bundles, `${entry.file}.js`);
    const args = [script, entry.name, JSON.stringify(entry.load), String(sampleMilliseconds)];
    const [command, parameters] = entry.program ?? [process.execPath, args];
    this.#child = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
    if (entry.input !== undefined) this.#child.stdin?.write(entry.input);
    if (this.#child.stdout === null) throw new TypeError('the child has no standard output');
    this.#lines = createInterface({ input: this.#child.stdout });
  }

  async answer(): Promise<string> {
    const signal = AbortSignal.timeout(ANSWER_MILLISECONDS);
    const ended = once(this.#child, 'exit', { signal }).then(() => {
      throw new TypeError('the child ended before it answered');
    });
    const [line] = (await Promise.race([once(this.#lines, 'line', { signal }), ended])) as [string];
    return line;
  }

  async sample(): Promise<number> {
    this.#child.stdin?.write('sample\n');
    return Number(await this.answer());
  }

  stop(): void {
    this.#child.stdin?.end();
    this.#child.kill();
  }
}

/** Runs every entry in a process of its own, warm, and samples them in turn: a disturbance of the machine meets all of them. */
export async function contest(
  entries: Readonly<Record<string, Entry>>,
  { quick, rounds = quick ? 3 : 7 }: { readonly quick: boolean; readonly rounds?: number },
): Promise<ReadonlyMap<string, Score>> {
  const names = Object.keys(entries);
  const runners = Object.values(entries).map((entry) => new Runner(entry, quick ? 25 : 100));
  try {
    const ready = await Promise.all(
      runners.map(async (runner) => JSON.parse(await runner.answer()) as { checksum: number; bytes: number }),
    );
    const sums = ready.filter((_, index) => entries[names[index] ?? '']?.agrees !== false).map((each) => each.checksum);
    if (new Set(sums).size > 1) throw new RangeError(`the variants ${names.join(', ')} gave different addresses`);
    const samples = runners.map((): number[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [index, runner] of runners.entries()) samples[index]?.push(await runner.sample());
    }
    return new Map(
      names.map((name, index) => [name, { nanoseconds: samples[index] ?? [], bytes: ready[index]?.bytes ?? 0 }]),
    );
  } finally {
    for (const runner of runners) runner.stop();
  }
}

/** The middle value. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** A gate on how one variant stands to another. */
export interface RatioGate {
  readonly id: string;
  readonly gate: number;
  /** `higher`: how many times our CPU time the other needs. `lower`: how many times the other's CPU time we need. */
  readonly better: BenchResult['better'];
  readonly ours: string;
  readonly other: string;
  readonly note?: string;
}

/** Compares two variants round by round. */
export function judge(gate: RatioGate, scores: ReadonlyMap<string, Score>): BenchResult {
  const ours = scores.get(gate.ours)?.nanoseconds ?? [];
  const other = scores.get(gate.other)?.nanoseconds ?? [];
  const ratios = ours.map((mine, round) => (other[round] ?? Number.NaN) / mine);
  const figures = `ours ${median(ours).toFixed(0)} ns, ${gate.other} ${median(other).toFixed(0)} ns of CPU time`;
  return judgeValue({
    id: gate.id,
    gate: gate.gate,
    better: gate.better,
    measured: median(gate.better === 'higher' ? ratios : ratios.map((ratio) => 1 / ratio)),
    note: gate.note === undefined ? figures : `${figures}; ${gate.note}`,
  });
}

/** Compares a value with its gate. */
export function judgeValue(result: Omit<BenchResult, 'verdict'>): BenchResult {
  const passes = result.better === 'higher' ? result.measured >= result.gate : result.measured <= result.gate;
  return { ...result, verdict: passes ? 'pass' : 'fail' };
}
