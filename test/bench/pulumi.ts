/** G2: preview and update of IpamServices against components with the same Service written by hand, under mocks. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { BenchResult } from './result';

const SAMPLER = join(__dirname, 'pulumi/sampler.ts');
const [SMALL, LARGE] = [1_000, 5_000];

type Mode = 'preview' | 'update';

/** CPU microseconds of the two variants in one round. */
interface Pair {
  readonly ours: number;
  readonly bare: number;
}

function cpuMicros(variant: keyof Pair, count: number, mode: Mode): number {
  const words = ['--import', 'tsx', SAMPLER, variant, String(count), mode];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new RangeError(`the sampler ended with ${String(status)}: ${stderr}`);
  return Number(stdout);
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

function judge(id: string, measured: number, [gate, note]: readonly [number, string]): BenchResult {
  return { id, measured, gate, better: 'lower', verdict: measured <= gate ? 'pass' : 'fail', note };
}

/** Runs the bench; `quick` takes fewer rounds. */
export function bench(quick: boolean): Promise<readonly BenchResult[]> {
  const pair = (count: number, mode: Mode): Pair => ({
    ours: cpuMicros('ours', count, mode),
    bare: cpuMicros('bare', count, mode),
  });
  // variants take turns, so that other work on the machine meets all of them
  const rounds = Array.from({ length: quick ? 1 : 3 }, () => ({
    update: pair(SMALL, 'update'),
    preview: pair(SMALL, 'preview'),
    large: pair(LARGE, 'preview'),
  }));
  type Part = keyof (typeof rounds)[number];
  const against = (id: string, part: Part): BenchResult => {
    const ms = (of: keyof Pair): string => (median(rounds.map((round) => round[part][of])) / 1_000).toFixed(0);
    const measured = median(rounds.map((round) => round[part].ours / round[part].bare));
    return judge(`G2 ${id}, our component vs a bare one`, measured, [
      1.5,
      `${ms('ours')} against ${ms('bare')} ms of CPU`,
    ]);
  };
  const growth = median(rounds.map(({ large, preview }) => large.ours / preview.ours));
  return Promise.resolve([
    against('update of 1,000 Services', 'update'),
    against('preview of 1,000 Services', 'preview'),
    against('preview of 5,000 Services', 'large'),
    judge('G2 preview of 5,000 Services vs 1,000', growth, [5.5, 'our component; linear as synth is to be']),
  ]);
}
