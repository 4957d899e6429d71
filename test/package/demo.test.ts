import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

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

  test('names a word that it does not know', () => {
    const { status, stderr } = spawnSync('npm', ['run', '--silent', 'demo', '--', '--kep'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('--kep');
  });
});
