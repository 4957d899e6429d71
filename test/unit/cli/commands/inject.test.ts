import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { CliOperator, type Ran } from '../../../support/cli-operator';

const ZONES = `version: 1
zones:
  - name: net1
    network: vpc-1
    prefixes: [10.0.1.0/24]
    quarantineSeconds: 0
`;
const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: upf # mine\n';
const allocation = (name: string): string =>
  `kind: IPAllocation\napiVersion: ipam.nephio.org/v1alpha1\nmetadata: {name: ${name}}\nspec:\n  selector:\n    matchLabels: {nephio.org/network-instance: vpc-1, nephio.org/network-name: net1}\n`;

const operator = new CliOperator(ZONES);
let folder: string;

beforeAll(() => operator.start());
afterAll(() => operator.dispose());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipam-package-'));
  writeFileSync(operator.at('secret'), 'secret-of-packages\n');
  put('Kptfile', KPTFILE);
  put('n3.yaml', allocation('n3'));
  put('sub/n4.yml', allocation('n4'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
const textOf = (path: string): string => readFileSync(join(folder, path), 'utf8');
const inject = (argv: readonly string[], input = ''): Promise<Ran> =>
  operator.run(['inject', '--back-end', 'ipam-api', '--secret-file', operator.at('secret'), ...argv], input);
const git = (...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...words], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();
const statusIn = (text: string) => (parse(text) as { readonly status?: { readonly prefix?: string } }).status;
const heldFor = async (name: string): Promise<number> => {
  const services = (await operator.json('services', '--name', name)) as readonly unknown[];
  return services.length;
};

describe('ipam inject FOLDER', () => {
  test('fills the files where they are, and keeps their modes', async () => {
    chmodSync(join(folder, 'n3.yaml'), 0o640);
    const { code, out, err } = await inject([folder]);
    expect([code, err]).toEqual([0, expect.stringContaining(`3 files were written in ${folder}`)]);
    expect(out).toMatch(/^ALLOCATION +OUTCOME +PREFIX +GATEWAY +MESSAGE\ndefault\/n3 +given +10\.0\.1\.\d+\/32\n/u);
    expect(textOf('n3.yaml')).toMatch(
      /^kind: IPAllocation\n[^]*\nstatus:\n {2}prefix: 10\.0\.1\.\d+\/32\n {2}parentPrefix: 10\.0\.1\.0\/24\n$/u,
    );
    expect(statSync(join(folder, 'n3.yaml')).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder).toSorted()).toEqual(['Kptfile', 'n3.yaml', 'sub']);
  });

  test('releases what left the package', async () => {
    await inject([folder]);
    const [, id = ''] = /package-id: (\w+)\./u.exec(textOf('Kptfile')) ?? [];
    expect(await heldFor(`default.n3.${id}`)).toBe(1);
    rmSync(join(folder, 'n3.yaml'));
    const { out } = await inject([folder]);
    expect(out).toMatch(/default\/n3 +released/u);
    expect([await heldFor(`default.n3.${id}`), await heldFor(`default.n4.${id}`)]).toEqual([0, 1]);
  });

  test('leaves everything alone with --dry-run', async () => {
    const { code, out } = await inject([folder, '--dry-run']);
    expect([code, out]).toEqual([0, expect.stringMatching(/default\/n3 +would be asked for/u)]);
    expect([textOf('n3.yaml'), textOf('Kptfile')]).toEqual([allocation('n3'), KPTFILE]);
  });

  test('neither follows links out of the package nor looks into hidden folders', async () => {
    const outside = operator.at('outside.yaml');
    writeFileSync(outside, allocation('outside'));
    symlinkSync(outside, join(folder, 'link.yaml'));
    put('.hidden/n9.yaml', allocation('n9'));
    const { out } = await inject([folder]);
    expect(out).not.toMatch(/outside|n9/u);
    expect(readFileSync(outside, 'utf8')).toBe(allocation('outside'));
  });

  test('ends with 5 where one IPAllocation is refused, and with the whole as JSON', async () => {
    put('bad.yaml', allocation('bad').replace('net1}', 'none}'));
    const { code, out } = await inject([folder, '--output', 'json']);
    expect(code).toBe(5);
    expect(JSON.parse(out)).toMatchObject({
      package: 'upf',
      allocations: [
        { name: 'bad', outcome: 'failed', file: 'bad.yaml', refusal: { code: 'claim/not-found' } },
        { name: 'n3', outcome: 'given' },
        { name: 'n4', outcome: 'given' },
      ],
    });
  });

  test.each([
    ['a folder that is not there', ['/nowhere'], 'cannot be read (ENOENT)'],
    ['options of Git without it', ['.', '--branch', 'x'], '--git, which is not given'],
    ['an id that is none', ['.', '--package-id', 'A!'], 'Give lower-case letters'],
  ])('refuses %s', async (_what, argv, says) => {
    const { code, err } = await inject(argv);
    expect([code, err]).toEqual([1, expect.stringContaining(says)]);
  });

  test('refuses back ends without what they need', async () => {
    const run = (...argv: string[]) => operator.run(['inject', folder, ...argv]);
    expect((await run('--back-end', 'ipam-api')).err).toContain('--secret-file');
    expect((await run('--back-end', 'grpc')).err).toContain('--grpc-server');
    const open = ['--back-end', 'grpc', '--grpc-server', 'localhost:1', '--plaintext', '--token-file', 'x'];
    expect((await run(...open)).err).toContain('--plaintext');
    expect((await run('--kubeconfig', operator.at('none'))).err).toContain('cannot be read');
  });
});

describe('ipam inject -', () => {
  const list = (...items: readonly string[]): string =>
    `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${items.map((each) => `- ${each.trimEnd().replaceAll('\n', '\n  ')}\n`).join('')}`;
  const kptfile = KPTFILE.replace('upf # mine', 'upf # mine\n  annotations: {config.kubernetes.io/path: Kptfile}');

  test('writes the ResourceList with results, and fails with the convention where one is an error', async () => {
    const bad = allocation('bad').replace('net1}', 'none}');
    const { code, out } = await inject(['-'], list(kptfile, allocation('n3'), bad));
    expect(code).toBe(5);
    expect(parse(out)).toMatchObject({
      kind: 'ResourceList',
      items: [{ kind: 'Kptfile' }, { status: { parentPrefix: '10.0.1.0/24' } }, { metadata: { name: 'bad' } }],
      results: [
        { severity: 'info', resourceRef: { kind: 'IPAllocation', name: 'n3', namespace: 'default' } },
        { severity: 'error', resourceRef: { name: 'bad' }, message: expect.stringContaining('none') as string },
      ],
    });
    const again = await inject(['-'], out);
    expect(again.out).toBe(out);
    const good = await inject(['-'], list(kptfile, allocation('n3')));
    expect(good.code).toBe(0);
  });

  test('refuses an empty input', async () => {
    expect(await inject(['-'])).toMatchObject({ code: 1, out: '' });
  });
});

describe('ipam inject --git', () => {
  let repository: string;
  const from = (...argv: readonly string[]) => inject(['--git', repository, ...argv]);
  const show = (at: string): string => git('-C', repository, 'show', at);

  beforeEach(() => {
    repository = folder;
    git('init', '--quiet', '--initial-branch', 'main');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'The package');
    git('tag', 'v1');
  });

  test.each(['main', 'v1'])(
    'commits the result of %s to a new branch, and leaves the other and the working tree',
    async (revision) => {
      const before = git('rev-parse', 'main');
      const { code, err } = await from('--revision', revision, '--branch', 'filled', '.');
      expect([code, err]).toEqual([0, expect.stringContaining('branch filled was made')]);
      expect(git('rev-parse', 'main')).toBe(before);
      expect(git('status', '--porcelain')).toBe('');
      expect(git('worktree', 'list').split('\n')).toHaveLength(1);
      expect(git('rev-parse', 'filled^')).toBe(before);
      expect(statusIn(show('filled:n3.yaml'))?.prefix).toMatch(/^10\.0\.1\./u);
      expect(git('log', '-1', '--format=%B', 'filled')).toMatch(
        /^Inject IP allocations: 2 given\n\n- default\/n3: 10\.0\.1\.\d+\/32\n- default\/n4/u,
      );
    },
  );

  test('gives the same from one revision to each new branch, and makes none where nothing changes', async () => {
    await from('--revision', 'main', '--branch', 'one', '.');
    await from('--revision', 'main', '--branch', 'two', '.');
    expect(show('two:n3.yaml')).toBe(show('one:n3.yaml'));
    const { err } = await from('--revision', 'one', '--branch', 'three', '.');
    expect(err).toContain('nothing changed');
    expect(git('branch', '--list', 'three')).toBe('');
  });

  test('refuses a folder that is a link out of the repository, and leaves what is there', async () => {
    const outside = operator.at('outside');
    cpSync(folder, outside, { recursive: true, filter: (path) => !path.includes('.git') });
    symlinkSync(outside, join(folder, 'linked'));
    git('add', '--all');
    git('commit', '--quiet', '--message', 'A link');
    const { code, err } = await from('--revision', 'main', '--branch', 'filled', 'linked');
    expect([code, err]).toEqual([1, expect.stringContaining('is a link out of the repository')]);
    expect(readFileSync(join(outside, 'n3.yaml'), 'utf8')).toBe(allocation('n3'));
    expect(readFileSync(join(outside, 'Kptfile'), 'utf8')).toBe(KPTFILE);
  });

  test('names the step of Git that failed, whatever settings it had', async () => {
    writeFileSync(join(folder, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const { code, err } = await from('--revision', 'main', '--branch', 'filled', '.');
    expect([code, err]).toEqual([1, expect.stringContaining('git commit: it failed')]);
  });

  test('tells what Git printed where it named no error', async () => {
    // what is written counts as unchanged
    writeFileSync(join(folder, '.git/info/attributes'), '* filter=keep\n');
    git('config', 'filter.keep.clean', 'git show main:%f');
    const { code, err } = await from('--revision', 'main', '--branch', 'filled', '.');
    expect([code, err]).toEqual([1, expect.stringContaining('git commit: nothing to commit')]);
  });

  test('reads a package in a folder of the repository', async () => {
    mkdirSync(join(folder, 'packages'));
    cpSync(join(folder, 'Kptfile'), join(folder, 'packages/Kptfile'));
    git('add', '--all');
    git('commit', '--quiet', '--message', 'Another package');
    put('packages/n5.yaml', allocation('n5'));
    git('add', '--all');
    git('commit', '--quiet', '--message', 'n5');
    const { out } = await from('--revision', 'main', '--branch', 'filled', 'packages');
    expect(out).toMatch(/n5 +given/u);
    expect(out).not.toContain('n3');
  });

  test.each([
    ['the branch that is read', ['--revision', 'main', '--branch', 'main', '.'], 'is the revision that is read'],
    ['a branch that exists', ['--revision', 'v1', '--branch', 'main', '.'], 'exists already'],
    [
      'a revision that does not exist',
      ['--revision', 'none', '--branch', 'x', '.'],
      'has no branch, tag or commit "none"',
    ],
    ['a name that is no branch', ['--revision', 'main', '--branch', 'a..b', '.'], 'git check-ref-format'],
    ['a revision that reads as an option', ['--revision=--all', '--branch', 'x', '.'], 'do not begin with a dash'],
    ['a folder outside', ['--revision', 'main', '--branch', 'x', '../..'], 'is not in the repository'],
  ])('refuses %s, and takes nothing', async (_what, argv, says) => {
    const { code, err } = await from(...argv);
    expect([code, err]).toEqual([1, expect.stringContaining(says)]);
    expect(git('branch', '--list').split('\n')).toHaveLength(1);
  });

  test('sends the branch to a repository elsewhere with --push alone', async () => {
    const url = `file://${repository}`;
    const remote = (...more: string[]) =>
      inject(['--git', url, '--revision', 'main', '--branch', 'filled', ...more, '.']);
    expect((await remote()).err).toContain('--push is missing');
    const { code, err } = await remote('--push');
    expect([code, err]).toEqual([0, expect.stringContaining('and pushed')]);
    expect(statusIn(show('filled:n3.yaml'))?.prefix).toMatch(/^10\.0\.1\./u);
    expect((await remote('--push')).err).toContain('exists already');
  });
});
