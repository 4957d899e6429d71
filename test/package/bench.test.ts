import { spawnSync } from 'node:child_process';
import { BENCH_MAIN, ROOT, tinyBench } from '../support/tiny-bench';

test.each([
  ['--help', "Unknown option '--help'"],
  ['nothing', 'no bench "nothing"; there are codec, address'],
])('FU-90 the word %s runs no bench', (word, told) => {
  const argv = [...BENCH_MAIN, '--tiny', word];
  const { status, stderr } = spawnSync(process.execPath, argv, { cwd: ROOT, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain(told);
});

// those that need an API server run in test/cluster/bench.test.ts
describe('the benches of the stores', () => {
  test.each(['sqlite', 'restore', 'postgres', 'networks'])('%s runs to its end over a handful of rows', (name) => {
    const lines = tinyBench(name);
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(lines.join('\n')).not.toContain('NaN');
  });
});
