import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin } from '../../package.json';
import { nodeProgram } from './node-versions';
import { packedFolder } from './packed';

/** The oldest Node.js of the package, which has no SQLite. */
const OLD = '20.20.2';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipam-bins-'));
  writeFileSync(join(folder, 'zones.yaml'), 'version: 1\nzones: []\n');
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function run(name: keyof typeof bin, words: readonly string[]) {
  const file = join(packedFolder(), bin[name]);
  const { status, stdout, stderr } = spawnSync(nodeProgram(OLD), [file, ...words], { cwd: folder, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('on Node.js 20', () => {
  test('ipam works as far as it needs no SQLite', () => {
    expect(run('ipam', ['version']).status).toBe(0);
    const away = run('ipam', ['zones', '--socket', join(folder, 'none.sock')]);
    expect(away).toMatchObject({ status: 4, stderr: expect.stringContaining('there is no such socket') as string });
  });

  test.each([
    ['restore', ['zones.yaml']],
    ['migrate-store', ['--postgres-dsn-file', 'dsn']],
  ])('ipam %s says in one sentence which Node.js it needs', (command, more) => {
    const { status, stderr } = run('ipam', [command, ...more, '--sqlite-file', join(folder, 'ipam.sqlite')]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^ipam: [a-z-]+ needs Node\.js 22\.13 or newer, .* and this is 20\.20\.2; [^\n]*\n$/u);
    expect(stderr).toContain(`ipam: ${command} needs`);
  });

  test('ipam-operator says in one sentence which Node.js its SQLite needs', () => {
    const { status, stderr } = run('ipam-operator', ['--standalone', '--zones-file=zones.yaml']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^settings\/invalid: --store: "sqlite" needs Node\.js 22\.13 or newer[^\n]*\n$/u);
  });
});
