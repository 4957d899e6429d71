import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const MAIN = ['--import', 'tsx', join(ROOT, 'test/bench/main.ts')];

test.each([
  ['--help', "Unknown option '--help'"],
  ['nothing', 'no bench "nothing"; there are codec, address'],
])(
  'FU-90 the word %s runs no bench',
  (word, told) => {
    const { status, stderr } = spawnSync(process.execPath, [...MAIN, '--tiny', word], { cwd: ROOT, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain(told);
  },
  60_000,
);

describe('the benches of the stores', () => {
  // as a program of its own: tsx and esbuild do not work under the globals of jest
  test.each(['sqlite', 'restore', 'postgres', 'networks'])(
    '%s runs to its end over a handful of rows',
    (name) => {
      const told = execFileSync(process.execPath, [...MAIN, '--tiny', name], {
        cwd: ROOT,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      expect(told.trim().split('\n').length).toBeGreaterThanOrEqual(3);
      expect(told).not.toContain('NaN');
    },
    60_000,
  );
});
