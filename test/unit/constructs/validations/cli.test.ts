import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const root = resolve(__dirname, '../../../..');
const plugin = join(root, 'constructs/validations/from-source.cjs');
const CLASSES = ['PodSecurityRestricted', 'WebhookSafety', 'PoolsDisjoint'];

describe('cdk8s synth of an app that breaks a rule of each validation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'validations-'));
  const config = {
    language: 'typescript',
    app: `${join(root, 'node_modules/.bin/tsx')} ${join(root, 'test/support/apps/unsafe.ts')}`,
    output: 'dist',
    validations: CLASSES.map((name) => ({ package: plugin, version: '0.1.0', class: name })),
  };
  writeFileSync(join(folder, 'cdk8s.yaml'), JSON.stringify(config));
  const run = spawnSync(process.execPath, [join(root, 'node_modules/cdk8s-cli/bin/cdk8s'), 'synth'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 120_000,
    env: { ...process.env, CDK8S_CHECK_UPGRADE: 'false', npm_config_offline: 'true', NODE_OPTIONS: '' },
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test('ends with exit code 2', () => {
    expect(run.stderr).toContain('Validation failed');
    expect(run.status).toBe(2);
  });

  test('leaves nothing but manifests in the folder, although it reports construct paths', () => {
    expect(readdirSync(join(folder, 'dist')).filter((name) => !name.endsWith('.yaml'))).toEqual([]);
    expect(readdirSync(join(folder, 'dist'))).not.toEqual([]);
  });

  test.each([
    ['PodSecurityRestricted', 'pod-security/host-namespaces', 'unsafe/Pod', 'spec.hostNetwork: true'],
    [
      'WebhookSafety',
      'webhook/namespaces',
      'unsafe/Hooks',
      'webhooks[0].namespaceSelector reaches namespace "kube-system"',
    ],
    [
      'PoolsDisjoint',
      'pools/disjoint',
      'pool-second/Pool',
      '"192.0.2.128/25" overlaps "192.0.2.0/24" (IPAddressPool first',
    ],
  ])('%s shows rule, construct path, place and advice in its report', (name, ...texts) => {
    const report = run.stdout.split('Validation Report').find((text) => text.includes(`│ ${name} `)) ?? '';
    for (const text of texts) expect(report).toContain(text);
    expect(report).toContain('failure');
    expect(report).toContain('How to fix:');
  });
});

describe('cdk8s.yaml of this repository', () => {
  test('runs every validation over the smallest example', () => {
    const { validations } = parse(readFileSync(join(root, 'cdk8s.yaml'), 'utf8')) as {
      validations: readonly { package: string; class: string }[];
    };
    expect(validations.map((each) => each.class)).toEqual(CLASSES);
    expect(validations.every((each) => each.package.startsWith('./'))).toBe(true);
  });
});
