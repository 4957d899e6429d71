import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

import { files, version } from '../../package.json';

const root = resolve(__dirname, '../..');

describe('FU-61 npm run image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ipam-image-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** Runs the script beside a docker that writes down how it was called. */
  function called(...words: readonly string[]): { readonly status: number | null; readonly said: string } {
    const docker = join(folder, 'docker');
    writeFileSync(docker, '#!/bin/sh\nprintf "%s\\n" "$@"\n');
    chmodSync(docker, 0o755);
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'image', '--', ...words], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` },
    });
    return { status, said: stdout + stderr };
  }

  test('builds and pushes the version of the package to the registry that it is told', () => {
    const { status, said } = called('registry.example.com/net');
    expect(status).toBe(0);
    const words = said.trim().split('\n');
    expect(words.slice(0, 2)).toEqual(['buildx', 'build']);
    expect(words.slice(words.indexOf('--tag')).slice(0, 2)).toEqual([
      '--tag',
      `registry.example.com/net/cdk8s-ipam:${version}`,
    ]);
    expect(words).toEqual(expect.arrayContaining(['--push', `VERSION=${version}`]));
    expect(words.at(-1)).toBe('.');
  });

  test('says what it needs without a registry', () => {
    const { status, said } = called();
    expect(status).not.toBe(0);
    expect(said).toContain('name your registry: npm run image -- registry.example.com');
  });

  test('finds in the npm package what the Dockerfile copies, and in a checkout no bundle of an earlier build', () => {
    expect(files).toEqual(expect.arrayContaining(['Dockerfile', 'lib']));
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gmu)].flatMap(([, each = '']) => each.split(' '));
    // a name in brackets may be absent: the npm package has neither the lock file nor the sources
    expect(copied).toEqual(['package.json', 'package-lock.jso[n]', '.npmr[c]', '.']);
    expect(readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')).not.toContain('!lib');
  });
});
