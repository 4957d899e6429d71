import { tinyBench } from '../support/tiny-bench';
import { waitForBinaries } from './support/binaries';
import { BUILD_MS, CONTROL_PLANE } from './support/use-control-plane';

beforeAll(async () => {
  await waitForBinaries(CONTROL_PLANE);
}, BUILD_MS);

// what its figures are with a handful of objects means nothing; that it comes to its end does
test.each([
  ['allocations', 6],
  ['vips', 3],
  ['egress', 3],
])('the bench %s runs to its end over a handful of objects', (name, results) => {
  const lines = tinyBench(name);
  expect(lines.length).toBeGreaterThanOrEqual(results);
  expect(lines.join('\n')).not.toContain('NaN');
});
