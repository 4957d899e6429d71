import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { textOf } from '../support/documents';

const root = resolve(__dirname, '../..');
const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Readonly<Record<string, string>> };
const soak = scripts['test:soak'] ?? '';
const files = soak.split(' ').filter((word) => word.endsWith('.test.ts'));

describe('npm run test:soak', () => {
  test('FU-93 runs test files of the cluster at full length', () => {
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect(soak).toContain('IPAM_TEST_SOAK=1 npm run test:cluster --');
    expect(textOf('test/cluster/support/soak.ts')).toContain("process.env['IPAM_TEST_SOAK'] === '1'");
    for (const file of files) expect(textOf(file)).toContain('orSoak(');
  });

  test.each(['CONC-02', 'WH-11', 'POOL-09'])('FU-93 runs the field case %s', (id) => {
    const ofCase = files.filter((file) => textOf(file).includes(`${id} `));
    expect(ofCase.length).toBeGreaterThan(0);
  });
});
