import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { peerDependencies } from '../../package.json';
import { cacheFolder } from '../cluster/components/recipes';
import { installPackage } from './install';
import { consumerFolder } from './packed';
import { PROGRAMS, written } from './programs';

const root = resolve(__dirname, '../..');
const LOWEST = Object.entries(peerDependencies).map(([name, range]) => `${name}@${range.replace('^', '')}`);
const project = (): string => `${consumerFolder()}-lowest`;

/** Folder with the lowest version of each peer, fetched from npm when it is asked for the first time. */
function lowestPeers(): string {
  const home = join(cacheFolder(), `peers-${LOWEST.join('-').replaceAll(/[^\w.-]+/gu, '-')}`);
  if (!existsSync(home)) {
    mkdirSync(dirname(home), { recursive: true });
    // moved when it is complete, so that nobody takes half of it
    const made = mkdtempSync(`${home}.`);
    const words = ['install', '--prefix', made, '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...LOWEST];
    execFileSync('npm', words, { cwd: made, stdio: ['ignore', 'ignore', 'inherit'] });
    renameSync(made, home);
  }
  return join(home, 'node_modules');
}

const said = (words: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: project(), encoding: 'utf8' });
  return { status, stdout, stderr };
};

beforeAll(() => {
  installPackage(project(), Object.keys(peerDependencies), lowestPeers());
  const types = join(project(), 'node_modules/@types');
  mkdirSync(types, { recursive: true });
  symlinkSync(join(root, 'node_modules/@types/node'), join(types, 'node'));
}, 600_000);

describe('beside the lowest version of each peer', () => {
  test.each(PROGRAMS.map((program, i) => [program.kind, program, i] as const))(
    'runs %s, and its types fit',
    (_kind, program, i) => {
      const [source, types] = [`program-${String(i)}.cjs`, `program-${String(i)}.ts`];
      writeFileSync(join(project(), source), written(program, 'CommonJS')[1]);
      writeFileSync(join(project(), types), written(program, 'TypeScript')[1]);
      expect(said([source])).toMatchObject({ stdout: `${program.prints}\n`, status: 0 });
      const options = [
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        '--module',
        'node20',
        '--types',
        'node',
        '--ignoreConfig',
      ];
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      expect(said([tsc, ...options, types])).toEqual({ status: 0, stdout: '', stderr: '' });
    },
  );
});
