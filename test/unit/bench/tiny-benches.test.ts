import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');

describe('the benches of the stores', () => {
  // as a program of its own: tsx and esbuild do not work under the globals of jest
  test.each(['sqlite', 'restore', 'postgres'])(
    '%s runs to its end over a handful of rows',
    (name) => {
      const words = ['--import', 'tsx', join(ROOT, 'test/bench/main.ts'), '--tiny', name];
      const told = execFileSync(process.execPath, words, {
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
