/** C9: what a restart costs, from the open file to the first address that is given. */
import { join } from 'node:path';
import { wireTake } from '../../operator/backends/sql/sqlite/take-wire';
import { NOW, taking } from '../support/claim-requests';
import { slopeOf } from '../support/slope';
import type { BenchResult, BenchSize } from './result';
import { cpuOf, inFolder, median, openFile, seed, SPACE } from './sqlite/seeded-file';

const ROUNDS = 5;
const SIZES = { full: [100_000, 1_000_000], quick: [10_000, 100_000], tiny: [50, 500] } as const;

// Numbers of the zones, index of free addresses, one take.
function restart(path: string, label: string): number {
  return cpuOf(() => {
    const { db, groups } = openFile(path, 'NORMAL');
    groups.run([wireTake(taking(label), { nowMs: NOW, ranges: () => SPACE })]);
    db.close();
  });
}

// The same addresses by the fastest way that there is from a row to a number in this process.
function readAlone(path: string): number {
  const { db, statements } = openFile(path, 'NORMAL');
  const cpu = cpuOf(() => {
    const [[first, last]] = SPACE as readonly [(typeof SPACE)[number]];
    let sum = 0;
    for (const row of statements.live.all('default', first, last)) sum += (row as unknown as readonly [number])[0];
    if (sum === 0) throw new RangeError('there were no rows');
  });
  db.close();
  return cpu;
}

/**
 * Runs C9.
 *
 * @param size - how many rows there are
 * @returns one result for each gate
 */
export async function bench(size: BenchSize): Promise<BenchResult[]> {
  const sizes = SIZES[size];
  return inFolder((folder) => {
    const paths = sizes.map((rows) => join(folder, `${rows}.sqlite`));
    for (const [index, path] of paths.entries()) seed(path, sizes[index] ?? 0);
    const restarts = sizes.map((): number[] => []);
    const reads = sizes.map((): number[] => []);
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [index, path] of paths.entries()) {
        const [cost, alone] = [restart(path, `round ${round}`), readAlone(path)];
        if (round === 0) continue; // warm-up
        restarts[index]?.push(cost);
        reads[index]?.push(alone);
      }
    }
    const [small, large] = restarts.map(median) as [number, number];
    const alone = median(reads[1] ?? []);
    const rows = sizes[1];
    const results: Omit<BenchResult, 'verdict'>[] = [
      {
        id: 'C9 restart, us CPU per row',
        measured: large / rows,
        gate: 1.2,
        better: 'lower',
        note: `${rows} live rows`,
      },
      {
        id: 'C9 restart against reading alone',
        measured: large / alone,
        gate: 2,
        better: 'lower',
        note: `${(large / 1000).toFixed(0)} against ${(alone / 1000).toFixed(0)} ms CPU`,
      },
      { id: 'C9 restart, slope over rows', measured: slopeOf(sizes, [small, large]), gate: 1.15, better: 'lower' },
    ];
    return Promise.resolve(
      results.map((result) => ({ ...result, verdict: result.measured <= result.gate ? 'pass' : 'fail' })),
    );
  });
}
