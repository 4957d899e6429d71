import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tarballFile } from './packed';

const attw = join(dirname(require.resolve('@arethetypeswrong/cli/package.json')), 'dist/index.js');

interface Analysis {
  readonly analysis: { readonly entrypoints: Readonly<Record<string, object>> };
  readonly problems?: Readonly<Record<string, readonly unknown[]>>;
}

describe('the tarball', () => {
  test('has nothing that publint would say something about', async () => {
    const { publint } = await import('publint');
    const file = readFileSync(tarballFile());
    const tarball = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
    expect((await publint({ pack: { tarball }, strict: true })).messages).toEqual([]);
  });

  test('has types that fit its code in every mode of resolution', () => {
    // the definitions are YAML, which has no types
    const words = [tarballFile(), '--format', 'json', '--exclude-entrypoints', './crds/*', './package.json'];
    const { stdout, stderr } = spawnSync(process.execPath, [attw, ...words], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    expect(stderr).toBe('');
    const { analysis, problems } = JSON.parse(stdout) as Analysis;
    expect(Object.keys(analysis.entrypoints).toSorted()).toEqual([
      '.',
      './constructs',
      './constructs/validations',
      './infra',
    ]);
    expect(problems ?? {}).toEqual({});
  });
});
