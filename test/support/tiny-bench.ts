import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Root of the repository. */
export const ROOT = join(__dirname, '../..');
/** Arguments of Node.js that start the benches. As a program of its own: tsx and esbuild do not work under the globals of jest. */
export const BENCH_MAIN = ['--import', 'tsx', join(ROOT, 'test/bench/main.ts')];

/**
 * Runs one bench over a handful of rows.
 *
 * @param name - of a suite that has a tiny size
 * @returns its lines, one for each result
 */
export function tinyBench(name: string): readonly string[] {
  const told = execFileSync(process.execPath, [...BENCH_MAIN, '--tiny', name], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return told.trim().split('\n');
}
