import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOperator, type RunningOperator } from '../demo/processes';
import { ReviewClient, type ServiceManifest } from '../demo/review-client';
import { packedFolder } from './packed';

const ZONES = 'version: 1\nservices: { defaultZone: lan }\nzones:\n  - name: lan\n    prefixes: [192.0.2.0/28]\n';

const service = (name: string): ServiceManifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { app: name } },
});

let folder = '';
let packed = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipam-packed-'));
  packed = packedFolder();
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the packed tree', () => {
  let running: RunningOperator | undefined;

  const start = async (data: string): Promise<RunningOperator> => {
    running = await startOperator({ root: packed, folder: data, zones: ZONES });
    return running;
  };
  const addressOf = async (operator: RunningOperator, name: string): Promise<string | undefined> => {
    const client = new ReviewClient(operator);
    const [row] = await client.admit(service(name));
    client.close();
    return row?.[3];
  };
  const dataFolder = (): string => mkdtempSync(join(folder, 'data-'));

  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });

  test('holds the bundle, the types and the licence, and no sources of tests', () => {
    const files = execFileSync('find', ['.', '-type', 'f'], { cwd: packed, encoding: 'utf8' }).split('\n');
    for (const file of [
      'lib/bundle/operator.js',
      'lib/bundle/kubeconfig.js',
      'lib/bundle/sqlite-worker.js',
      'lib/operator/index.d.ts',
      'lib/constructs/index.d.ts',
      'lib/constructs/validations/index.js',
      'constructs/crds/addressclaims.ipam.vitistack.io.yaml',
      'LICENSE',
    ])
      expect(files).toContain(`./${file}`);
    expect(files.filter((file) => file.includes('/test/') || file.endsWith('.test.js'))).toEqual([]);
  });

  test('starts without any installed package and answers a review', async () => {
    expect(await addressOf(await start(dataFolder()), 'web')).toBe('192.0.2.0');
  });

  test('W-07 gives the same address after an orderly end and a new start', async () => {
    const data = dataFolder();
    const first = await start(data);
    expect(await addressOf(first, 'a')).toBe('192.0.2.0');
    expect(await addressOf(first, 'b')).toBe('192.0.2.1');
    await first.stop();
    const second = await start(data);
    expect(await addressOf(second, 'b')).toBe('192.0.2.1');
    expect(await addressOf(second, 'c')).toBe('192.0.2.2');
  });

  test('CONC-01 knows every holder again after it was killed', async () => {
    const data = dataFolder();
    const first = await start(data);
    expect(await addressOf(first, 'a')).toBe('192.0.2.0');
    await first.kill();
    const second = await start(data);
    expect(await addressOf(second, 'b')).toBe('192.0.2.1');
    expect(await addressOf(second, 'a')).toBe('192.0.2.0');
  });

  test('a second process on the same file ends and names the file', async () => {
    const data = dataFolder();
    await start(data);
    const words = [
      '--standalone',
      `--zones-file=${data}/zones.yaml`,
      `--sqlite-file=${data}/ipam.sqlite`,
      `--hash-key-file=${data}/hash-key`,
    ];
    const { status, stderr } = spawnSync(process.execPath, [join(packed, 'lib/bundle/operator.js'), ...words], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('store/locked');
    expect(stderr).toContain('ipam.sqlite');
  });

  test('wrong settings end with 2 and name every flag at fault', () => {
    const words = ['--standalone', '--store=oracle', '--admission-deadline=99'];
    const { status, stderr } = spawnSync(process.execPath, [join(packed, 'lib/bundle/operator.js'), ...words], {
      encoding: 'utf8',
    });
    expect(status).toBe(2);
    expect(stderr).toContain('--store');
    expect(stderr).toContain('--admission-deadline');
  });
});
