import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { version } from '../../package.json';
import { bundleOperator, startOperator } from '../demo/processes';

const root = resolve(__dirname, '../..');
const ZONES = 'version: 2\nzones:\n  - name: lan\n    prefixes: [192.0.2.0/28]\n';

describe('the bundled operator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ipam-started-'));
  const cache = join(folder, 'compile-cache');
  const former = process.env['NODE_COMPILE_CACHE'];

  beforeAll(async () => {
    await bundleOperator(root);
    process.env['NODE_COMPILE_CACHE'] = cache;
  });

  afterAll(() => {
    if (former === undefined) delete process.env['NODE_COMPILE_CACHE'];
    else process.env['NODE_COMPILE_CACHE'] = former;
    rmSync(folder, { recursive: true, force: true });
  });

  test('FU-83 has written its compiled code once it is ready, so that the next start after a kill finds it', async () => {
    const operator = await startOperator({ root, folder, zones: ZONES });
    // the log says that it is ready a moment before
    await fetch(`http://127.0.0.1:${String(operator.probePort)}/readyz`);
    await operator.kill();
    const written = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    expect(written.length).toBeGreaterThan(0);
  });

  test('FU-76 says its version', () => {
    const { status, stdout } = spawnSync(process.execPath, [join(root, 'lib/bundle/operator.js'), '--version'], {
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: `ipam-operator ${version}\n` });
  });
});
