/** G1: synth of an app of IpamServices, and of one of AddressClaims, against the same objects written by hand, each sample in a process of its own. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { BenchResult } from './result';

type Variant = 'ours' | 'bare' | 'ourClaim' | 'bareClaim';

const SAMPLER = join(__dirname, 'synth/sampler.ts');
const [SMALL, LARGE] = [1_000, 5_000];

function cpuMicros(variant: Variant, count: number): number {
  const words = ['--import', 'tsx', SAMPLER, variant, String(count)];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new RangeError(`the sampler ended with ${String(status)}: ${stderr}`);
  return Number(stdout);
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

interface Round {
  readonly ours: number;
  readonly bare: number;
  readonly large: number;
}

function judge(id: string, measured: number, [gate, note]: readonly [number, string]): BenchResult {
  return { id, measured, gate, better: 'lower', verdict: measured <= gate ? 'pass' : 'fail', note };
}

/** A construct that is synthesized by the thousand. */
interface Crowd {
  readonly what: string;
  readonly ours: Variant;
  readonly bare: Variant;
}

const CROWDS: readonly Crowd[] = [
  { what: 'Services', ours: 'ours', bare: 'bare' },
  { what: 'claims', ours: 'ourClaim', bare: 'bareClaim' },
];

/** Runs the bench; `quick` takes fewer rounds. */
export function bench(quick: boolean): Promise<readonly BenchResult[]> {
  return Promise.resolve(CROWDS.flatMap((crowd) => benchOf(crowd, quick ? 3 : 7)));
}

function benchOf({ what, ...variants }: Crowd, length: number): readonly BenchResult[] {
  // variants take turns, so that other work on the machine meets all of them
  const rounds = Array.from({ length }, (): Round => ({
    ours: cpuMicros(variants.ours, SMALL),
    bare: cpuMicros(variants.bare, SMALL),
    large: cpuMicros(variants.ours, LARGE),
  }));
  const ms = (of: keyof Round): number => median(rounds.map((round) => round[of])) / 1_000;
  const ratio = (a: keyof Round, b: keyof Round): number => median(rounds.map((round) => round[a] / round[b]));
  const cpu = `${ms('ours').toFixed(0)} against ${ms('bare').toFixed(0)} ms of CPU`;
  return [
    judge(`G1 synth of 1,000 ${what}, our constructs vs bare objects`, ratio('ours', 'bare'), [1.5, cpu]),
    judge(`G1 synth of 5,000 ${what} vs 1,000`, ratio('large', 'ours'), [5.5, `${ms('large').toFixed(0)} ms of CPU`]),
    judge(`G1 synth of 1,000 ${what}, ms of CPU for each object`, ms('ours') / SMALL, [0.5, 'building and writing']),
  ];
}
