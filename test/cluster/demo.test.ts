import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { COMPONENTS } from './components/recipes';
import { waitForBinaries } from './support/binaries';

const root = resolve(__dirname, '../..');

beforeAll(() => waitForBinaries(COMPONENTS), 90 * 60_000);

describe('npm run demo -- --cluster', () => {
  test('serves the example on a real cluster, and keeps what is held and frees what is gone over a SIGKILL', () => {
    const words = ['run', '--silent', 'demo', '--', '--cluster'];
    const { status, stdout } = spawnSync('npm', words, { cwd: root, encoding: 'utf8' });
    const rows = stdout.split('\n').filter((line) => line.startsWith('default/'));
    expect({ status, rows: rows.map((row) => row.split(/\s{2,}/u)) }).toEqual({
      status: 0,
      rows: [
        ['default/intranet', 'hnet-private', '172.16.8.16', 'True Bound'],
        ['default/shop', 'inet', '83.118.168.1', 'True Bound'],
        ['default/api', 'inet', '2a05:1234::1 83.118.168.10', 'True Bound'],
        ['default/shop', 'inet', '83.118.168.1', 'True Bound'],
        ['default/api', 'inet', '2a05:1234::1 83.118.168.10', 'True Bound'],
      ],
    });
    expect(stdout).toContain('ipam_zone_addresses{zone="hnet-private",family="ipv4",state="held"} 0');
  });
});
