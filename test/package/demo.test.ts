import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { DEMO_COMPONENTS } from '../demo/on-cluster';

const root = resolve(__dirname, '../..');

describe('npm run demo', () => {
  test('synthesizes the example, gives each of its Services an address, and ends with 0', () => {
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'demo'], { cwd: root, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const rows = stdout.split('\n').filter((line) => line.startsWith('default/'));
    expect(rows.map((row) => row.split(/\s+/).slice(0, 4))).toEqual([
      ['default/intranet', 'hnet-private', 'ipv4', '172.16.8.16'],
      ['default/shop', 'inet', 'ipv4', '83.118.168.1'],
      ['default/api', 'inet', 'ipv6', '2a05:1234::1'],
      ['default/api', 'inet', 'ipv4', '83.118.168.10'],
    ]);
    expect(stdout).toContain('YAML:   dist/');
    expect(stdout).toContain('Next:');
  });

  test('FU-71 says what it takes, and leaves no folder behind', () => {
    const home = mkdtempSync(join(tmpdir(), 'ipam-demo-test-'));
    const run = (...words: readonly string[]) =>
      spawnSync('npm', ['run', '--silent', 'demo', ...words], {
        cwd: root,
        encoding: 'utf8',
        env: { ...process.env, TMPDIR: home },
      });
    expect(run('--', '--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('--keep') as string });
    expect(run().status).toBe(0);
    expect(readdirSync(home).filter((name) => name.startsWith('ipam-demo-'))).toEqual([]);
    rmSync(home, { recursive: true });
  });

  test('FU-71 waits on a cluster for the programs that it runs alone', () => {
    expect(DEMO_COMPONENTS.filter((name) => name.startsWith('pulumi') || name === 'cluster-api')).toEqual([]);
  });

  test('names a word that it does not know', () => {
    const { status, stderr } = spawnSync('npm', ['run', '--silent', 'demo', '--', '--kep'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('--kep');
  });
});
