import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';

import type { ServiceJson } from '../../../support/review-builder';

const root = resolve(__dirname, '../../../..');

describe('npx cdk8s synth of the web shop', () => {
  const output = mkdtempSync(join(tmpdir(), 'application-'));
  const app = 'npx tsx examples/cdk8s/application/main.ts';
  const run = spawnSync(
    process.execPath,
    [join(root, 'node_modules/cdk8s-cli/bin/cdk8s'), 'synth', '--app', app, '--output', output],
    {
      cwd: root,
      encoding: 'utf8',
      timeout: 120_000,
      // without a network: npx must find tsx here, and nobody may ask for a newer CLI
      env: { ...process.env, CDK8S_CHECK_UPGRADE: 'false', npm_config_offline: 'true', NODE_OPTIONS: '' },
    },
  );
  afterAll(() => {
    rmSync(output, { recursive: true });
  });

  const servicesOf = (cluster: string): readonly ServiceJson[] =>
    parseAllDocuments(readFileSync(join(output, `${cluster}.k8s.yaml`), 'utf8'))
      .map((each) => each.toJS() as ServiceJson)
      .filter(({ kind }) => kind === 'Service');
  const asked = (cluster: string): readonly unknown[] =>
    servicesOf(cluster).map(({ metadata: { name, namespace, annotations }, spec }) => [
      `${String(namespace)}/${String(name)}`,
      annotations?.['ipam.vitistack.io/secret'],
      annotations?.['ipam.vitistack.io/addresses'] ?? spec['ipFamilyPolicy'],
    ]);

  test('ends well and writes one file for each cluster', () => {
    expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: '' });
    expect(readdirSync(output).filter((file) => file.endsWith('.yaml'))).toEqual(['bergen.k8s.yaml', 'oslo.k8s.yaml']);
  });

  test('asks for the same anycast address in both, with the same secret, and for the fixed one in one of them', () => {
    const everywhere = [
      ['shop/web', 'addresses', 'RequireDualStack'],
      ['shop/office', 'addresses', 'SingleStack'],
      ['shop/nearest', 'addresses', '83.118.168.53'],
    ];
    expect(asked('bergen')).toEqual(everywhere);
    expect(asked('oslo').toSorted()).toEqual(
      [...everywhere, ['shop/payments', 'addresses', '83.118.168.25']].toSorted(),
    );
  });

  test('selects the Pods of the Deployment by their own label', () => {
    expect(new Set(servicesOf('oslo').map(({ spec }) => JSON.stringify(spec['selector'])))).toEqual(
      new Set(['{"app":"shop"}']),
    );
  });
});
