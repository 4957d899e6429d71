import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { NODE_VERSIONS, nodeProgram } from './node-versions';
import { consumerFolder } from './packed';
import { FORMS, PROGRAMS, written, type ConsumerProgram, type Form } from './programs';

const root = resolve(__dirname, '../..');

/** Compiler options of a project of today, of one with a bundler, and of one as cdk8s and Pulumi start it. */
const PROJECTS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['node20', { module: 'node20' }],
  ['nodenext', { module: 'nodenext' }],
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ['node10', { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' }],
];

const said = (program: string, words: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: consumerFolder(), encoding: 'utf8' });
  return { status, stdout, stderr };
};

const source = (program: ConsumerProgram): string => `program-${String(PROGRAMS.indexOf(program))}`;

const compiled = (options: Readonly<Record<string, unknown>>) => {
  const folder = consumerFolder();
  const file = join(folder, 'tsconfig.json');
  const always = { target: 'es2022', strict: true, types: ['node'], rootDir: '.' };
  writeFileSync(
    file,
    JSON.stringify({ compilerOptions: { ...always, ...options }, files: PROGRAMS.map((each) => `${source(each)}.ts`) }),
  );
  return said(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', file]);
};

const fileOf = (program: ConsumerProgram, form: Form): string =>
  form === 'TypeScript' ? `compiled/${source(program)}.js` : `${source(program)}.${written(program, form)[0]}`;

beforeAll(() => {
  for (const form of FORMS) {
    for (const program of PROGRAMS) {
      const [extension, text] = written(program, form);
      writeFileSync(join(consumerFolder(), `${source(program)}.${extension}`), text);
    }
  }
  mkdirSync(join(consumerFolder(), 'compiled'));
  expect(compiled({ module: 'node20', outDir: 'compiled', skipLibCheck: true }).stdout).toBe('');
});

describe('types of the installed package', () => {
  // the libraries beside it are checked by their makers
  test.each(PROJECTS)('fit a project of %s', (_title, options) => {
    expect(compiled({ ...options, noEmit: true, skipLibCheck: true })).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});

describe.each(NODE_VERSIONS)('the installed package on Node.js %s', (version) => {
  beforeAll(() => {
    nodeProgram(version);
  }, 300_000);

  test('finds the definitions and the manifest by their subpaths', () => {
    const script = `
      const read = (path) => require('node:fs').readFileSync(require.resolve('cdk8s-ipam/' + path), 'utf8');
      const [kind] = read('crds/addressclaims.ipam.vitistack.io.yaml').match(/^kind: .*/m);
      console.log(kind, JSON.parse(read('package.json')).name);`;
    const result = said(nodeProgram(version), ['-e', script]);
    expect(result).toEqual({ stdout: 'kind: CustomResourceDefinition cdk8s-ipam\n', stderr: '', status: 0 });
  });

  const rows = PROGRAMS.flatMap((program) => FORMS.map((form) => [program.kind, form, program] as const));
  test.each(rows)('runs %s in %s', (_kind, form, program) => {
    const result = said(nodeProgram(version), [fileOf(program, form)]);
    expect(result).toMatchObject({ stdout: `${program.prints}\n`, status: 0 });
  });
});
