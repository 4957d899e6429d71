/** G2: registration of IpamServices against components with the same Service written by hand, under mocks. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { BenchResult } from './result';

const SAMPLER = join(__dirname, 'pulumi/sampler.ts');
const [SMALL, LARGE] = [1_000, 5_000];

function cpuMicros(variant: 'ours' | 'bare', count: number): number {
  const words = ['--import', 'tsx', SAMPLER, variant, String(count)];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new RangeError(`the sampler ended with ${String(status)}: ${stderr}`);
  return Number(stdout);
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

/** Runs the bench; `quick` takes fewer rounds. */
export function bench(quick: boolean): Promise<readonly BenchResult[]> {
  const results = [SMALL, LARGE].map((count): BenchResult => {
    // variants take turns, so that other work on the machine meets both
    const rounds = Array.from({ length: quick ? 1 : 3 }, () => ({
      ours: cpuMicros('ours', count),
      bare: cpuMicros('bare', count),
    }));
    const [gate, measured] = [1.5, median(rounds.map(({ ours, bare }) => ours / bare))];
    const ms = (of: 'ours' | 'bare'): string => (median(rounds.map((round) => round[of])) / 1_000).toFixed(0);
    return {
      ...{ id: `G2 registration of ${count} Services, our component vs a bare one`, measured, gate, better: 'lower' },
      verdict: measured <= gate ? 'pass' : 'fail',
      note: `${ms('ours')} against ${ms('bare')} ms of CPU`,
    };
  });
  return Promise.resolve(results);
}
