import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';

const root = resolve(__dirname, '../../../..');

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

describe('npx cdk8s synth at the root', () => {
  const folder = mkdtempSync(join(tmpdir(), 'smallest-'));
  const output = join(folder, 'dist');
  const run = spawnSync(
    process.execPath,
    [join(root, 'node_modules/cdk8s-cli/bin/cdk8s'), 'synth', '--output', output],
    {
      cwd: root,
      encoding: 'utf8',
      timeout: 120_000,
      // without a network: npx must find tsx here, and nobody may ask for a newer CLI
      env: { ...process.env, CDK8S_CHECK_UPGRADE: 'false', npm_config_offline: 'true', NODE_OPTIONS: '' },
    },
  );
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const read = (file: string): Manifest[] =>
    parseAllDocuments(readFileSync(join(output, file), 'utf8')).map((document) => document.toJS() as Manifest);

  test('exits 0 and writes nothing to stderr', () => {
    expect(run.stderr).toBe('');
    expect(run.status).toBe(0);
    // nothing else: `kubectl apply -f dist/` reads .json files too
    expect(readdirSync(output)).toEqual(['0000-ipam.k8s.yaml', '0001-web.k8s.yaml']);
  });

  test('holds every validation of cdk8s.yaml against the manifests', () => {
    expect(run.stdout.match(/║ Status +│ success/g)).toHaveLength(3);
    expect(run.stdout).toContain('Validations ended');
  });

  test('writes certificate, webhook with 30 seconds, and a pool per zone', () => {
    const objects = read('0000-ipam.k8s.yaml');
    expect(objects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['Certificate', 'Deployment', 'ConfigMap']));
    expect(objects.filter(({ kind }) => kind === 'IPAddressPool').map(({ metadata }) => metadata.name)).toEqual([
      'hnet-private',
      'inet',
    ]);
    expect(objects.find(({ kind }) => kind === 'MutatingWebhookConfiguration')).toMatchObject({
      webhooks: [{ timeoutSeconds: 30 }],
    });
  });

  test('writes three Services with their wishes', () => {
    const services = read('0001-web.k8s.yaml');
    expect(services.map(({ kind, metadata }) => [kind, metadata.name, metadata.annotations])).toEqual([
      ['Service', 'intranet', { 'ipam.vitistack.io/ip-family': 'ipv4' }],
      ['Service', 'shop', { 'ipam.vitistack.io/zone': 'inet', 'ipam.vitistack.io/retention-period-days': '7' }],
      [
        'Service',
        'api',
        {
          'ipam.vitistack.io/zone': 'inet',
          'ipam.vitistack.io/ip-family': 'dual',
          'ipam.vitistack.io/addresses': '83.118.168.10',
        },
      ],
    ]);
  });

  test('writes the same objects as before, so that a review shows what a change does to every cluster', () => {
    expect(read('0000-ipam.k8s.yaml')).toMatchSnapshot('operator');
    expect(read('0001-web.k8s.yaml')).toMatchSnapshot('services');
  });
});
