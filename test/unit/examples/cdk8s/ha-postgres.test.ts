import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

import { placesDemanded } from '../../../support/places-demanded';

const root = resolve(__dirname, '../../../..');

interface Manifest {
  readonly kind: string;
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly metadata: { readonly labels: object };
      readonly spec: Readonly<Record<string, unknown>>;
    };
  };
}

describe('npx cdk8s synth of the example with PostgreSQL', () => {
  const output = mkdtempSync(join(tmpdir(), 'ha-postgres-'));
  const app = 'npx tsx examples/cdk8s/ha-postgres/main.ts';
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
  const objects = (): readonly Manifest[] =>
    parseAllDocuments(readFileSync(join(output, 'ipam.k8s.yaml'), 'utf8')).map((each) => each.toJS() as Manifest);
  const deployment = (): NonNullable<Manifest['spec']> =>
    objects().find(({ kind }) => kind === 'Deployment')?.spec ?? {};

  test('exits 0, keeps every rule of cdk8s.yaml, and writes one file', () => {
    expect([run.stderr, run.status]).toEqual(['', 0]);
    expect(run.stdout.match(/║ Status +│ success/g)).toHaveLength(3);
    expect(readdirSync(output)).toEqual(['ipam.k8s.yaml']);
  });

  test('runs three replicas that lose none before the next is ready, with a PodDisruptionBudget', () => {
    expect(deployment()).toMatchObject({
      replicas: 3,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    });
    expect(objects().filter(({ kind }) => kind === 'PodDisruptionBudget')).toMatchObject([
      { spec: { maxUnavailable: 1 } },
    ]);
  });

  test('spreads the Pods that it makes, and no others', () => {
    const { metadata, spec } = deployment().template ?? { metadata: { labels: {} }, spec: {} };
    const spread = spec['topologySpreadConstraints'] as readonly { labelSelector: { matchLabels: object } }[];
    expect(spread).toHaveLength(2);
    for (const { labelSelector } of spread) expect(metadata.labels).toMatchObject(labelSelector.matchLabels);
  });

  test('FU-82 starts on nodes without a label of their failure domain, usual on bare metal', () => {
    const { spec } = deployment().template ?? { spec: {} };
    expect(placesDemanded(spec)).toEqual([]);
  });

  test('FU-82 so does examples/manifests/ha-postgres', () => {
    const text = readFileSync(join(root, 'examples/manifests/ha-postgres/deployment.yaml'), 'utf8');
    const { spec } = (parse(text) as Manifest).spec?.template ?? { spec: {} };
    expect(spec).toHaveProperty('topologySpreadConstraints.length', 2);
    expect(placesDemanded(spec)).toEqual([]);
  });

  test('mounts the connection string and the CA out of Secrets that it does not hold', () => {
    const { spec } = deployment().template ?? { spec: {} };
    expect(spec).toMatchObject({
      volumes: expect.arrayContaining([
        expect.objectContaining({ secret: expect.objectContaining({ secretName: 'ipam-postgres' }) as object }),
        expect.objectContaining({ secret: expect.objectContaining({ secretName: 'ipam-postgres-ca' }) as object }),
      ]) as object,
      terminationGracePeriodSeconds: 65,
    });
    expect(objects().filter(({ kind }) => kind === 'Secret')).toEqual([]);
    expect(objects().some(({ kind }) => kind === 'PersistentVolumeClaim')).toBe(false);
  });

  test('brings what watches it', () => {
    expect(objects().map(({ kind }) => kind)).toEqual(expect.arrayContaining(['ServiceMonitor', 'PrometheusRule']));
  });
});
