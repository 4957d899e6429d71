import { readFileSync, writeFileSync } from 'node:fs';
import type { IpamOperatorProps } from '../../constructs';
import { IPAM, METALLB, WEBHOOK_NAMES, WEBHOOK_TIMEOUT_SECONDS } from '../../operator/contract/group';
import type { KubeObject, Manifest } from './support/cluster-client';
import type { ControlPlane } from './support/control-plane';
import { eventually } from './support/eventually';
import { synthesizedYaml, type SynthesizedYaml } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ServiceScene } from './support/service-scene';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const ZONES: NonNullable<IpamOperatorProps['zones']> = [
  { name: 'first', prefixes: ['10.74.0.0/24'], quarantineSeconds: 1 },
];
const ZONE = { annotations: { [IPAM.zone]: 'first' } };
/** WH-01: everything is there within two minutes, an emptied CA is back in under one. */
const INSTALLED_MS = 120_000;
const HEALED_MS = 120_000;
const { mutatingConfiguration, validatingConfiguration } = WEBHOOK_NAMES;
const CONFIGURATIONS = [
  `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${mutatingConfiguration}`,
  `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${validatingConfiguration}`,
];

const bundleOf = ({ webhooks }: KubeObject): string => webhooks?.[0]?.['clientConfig']?.['caBundle'] ?? '';

/** Applies an installation together with a namespace and a Service in it, as one file, before any operator runs. */
async function applyWithService(
  control: ControlPlane,
  scene: ServiceScene,
  props: Partial<IpamOperatorProps>,
): Promise<SynthesizedYaml> {
  const yaml = synthesizedYaml(control.folder, { zones: ZONES, ...props });
  const objects = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } }, scene.manifest('web', ZONE)];
  writeFileSync(
    yaml.file,
    `${readFileSync(yaml.file, 'utf8')}${objects.map((each) => `---\n${JSON.stringify(each)}\n`).join('')}`,
  );
  await control.kubectl('apply', '--server-side', '-f', yaml.file);
  return yaml;
}

/** Writes the manifests again with an empty CA in them, as some tools do, and waits until it is back. */
async function emptyBundles({ client }: ControlPlane, yaml: SynthesizedYaml): Promise<void> {
  for (const path of CONFIGURATIONS) await client.objectWhen(path, (each) => bundleOf(each) !== '');
  const emptied = yaml.objects
    .filter(({ kind }) => kind.endsWith('WebhookConfiguration'))
    .map(
      (object) =>
        JSON.parse(JSON.stringify(object).replace('"clientConfig":{', '"clientConfig":{"caBundle":"",')) as Manifest,
    );
  const applied = await client.apply(emptied);
  expect(applied.map(({ body }) => bundleOf(body))).toEqual(['', '']);
  for (const path of CONFIGURATIONS) await client.objectWhen(path, (each) => bundleOf(each) !== '', HEALED_MS);
}

describe('WH-01 all in one go with whenUnavailable admit, certificates of cert-manager', () => {
  let yaml: SynthesizedYaml;
  let operator: RunningOperator;
  const plane = useControlPlane({
    programs: ['metallb-controller', 'cert-manager'],
    prepare: async (control) => {
      await Promise.all([startMetalLb(control), startCertManager(control)]);
      yaml = await applyWithService(control, scene, { zonePools: 'claims', whenUnavailable: 'admit' });
    },
  });
  const scene = new ServiceScene({ plane, operator: () => operator, namespace: 'a' });

  test('a Service that came before the operator is served by the controller', async () => {
    const before = await scene.get('web');
    operator = await startOperator(plane(), { args: { 'shutdown-delay': '0' } });
    const web = await scene.ready('web', INSTALLED_MS);

    expect(before.metadata.annotations).not.toHaveProperty([METALLB.addresses]);
    expect(web.metadata.annotations).toMatchObject({ [METALLB.addresses]: '10.74.0.0', [METALLB.pool]: 'first' });
    expect(yaml.text).not.toContain('caBundle');
  });

  test('a Service that comes while the operator is away waits for it, and has its address afterwards', async () => {
    await operator.kill('SIGKILL');
    const late = await scene.create('late', ZONE);
    await operator.restart();

    expect(late.metadata.annotations).toEqual(ZONE.annotations);
    expect(ingressOf(await scene.ready('late', INSTALLED_MS))).toEqual(['10.74.0.1']);
  });

  test('a CA that was emptied comes back by itself, and admission with it', async () => {
    await emptyBundles(plane(), yaml);
    let tries = 0;
    // until the API server has seen the CA of both configurations, neither webhook is asked, or only the one that verifies
    const healed = await eventually(async () => {
      tries += 1;
      const service = scene.manifest(`healed-${tries}`, ZONE);
      const { status, body } = await plane().client.attempt('POST', scene.path(), service);
      return status === 201 && METALLB.addresses in (body.metadata.annotations ?? {}) && body;
    });

    expect(healed.metadata.annotations).toMatchObject({ [METALLB.pool]: 'first' });
    expect(healed.metadata.annotations?.[METALLB.addresses]).toMatch(/^10\.74\.0\.\d+$/u);
  });
});

describe('self-managed certificates, whenUnavailable deny', () => {
  let yaml: SynthesizedYaml;
  let operator: RunningOperator;
  const plane = useControlPlane({
    programs: ['metallb-controller'],
    prepare: async (control) => {
      await startMetalLb(control);
      yaml = synthesizedYaml(control.folder, { zones: ZONES, certificates: 'self-managed' });
      await control.kubectl('apply', '--server-side', '-f', yaml.file);
      operator = await startOperator(control, { args: { 'shutdown-delay': '0' } });
      await scene.open();
    },
  });
  const scene = new ServiceScene({ plane, operator: () => operator, namespace: 'a' });

  test('WH-01 an installation without cert-manager serves, and a CA that was emptied comes back', async () => {
    await scene.create('web', ZONE);
    await scene.ready('web');
    await emptyBundles(plane(), yaml);
    await eventually(() => scene.create('healed', ZONE));

    expect(ingressOf(await scene.ready('healed'))).toEqual(['10.74.0.1']);
    expect(yaml.text).not.toContain('caBundle');
  });

  test('WH-02 no webhook is there, and only LoadBalancers of ours wait for it', async () => {
    const { client } = plane();
    const system = new ServiceScene({ plane, operator: () => operator, namespace: 'kube-system' });
    const own = new ServiceScene({ plane, operator: () => operator, namespace: 'ipam-system' });
    await operator.kill('SIGKILL');
    const startedMs = performance.now();
    await system.create('kube-dns', { spec: { type: 'ClusterIP' } });
    await system.create('edge');
    await scene.create('db', { spec: { type: 'ClusterIP', clusterIP: 'None' } });
    const webhook = await own.get('ipam-webhook-service');
    await own.remove('ipam-webhook-service');
    await own.create('ipam-webhook-service', {
      spec: { type: 'ClusterIP', selector: webhook.spec?.['selector'], ports: webhook.spec?.['ports'] },
    });
    await scene.patch('web', { spec: { type: 'ClusterIP' } });
    await scene.remove('healed');
    await client.request('POST', '/api/v1/namespaces/a/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'pod' },
      spec: { containers: [{ name: 'main', image: 'none' }] },
    });
    const tookMs = performance.now() - startedMs;
    // the API server takes a moment to know the Service that was made anew
    await eventually(async () => {
      const { body } = await client.attempt('POST', scene.path(), scene.manifest('refused', ZONE));
      return /mservice-v1\.kb\.io.*connection refused/u.test(body.message ?? '');
    });

    await operator.restart();
    await eventually(() => scene.create('again', ZONE));
    await scene.ready('again');
    await scene.holds('first', 1);

    // no call waited for a webhook that cannot answer
    expect(tookMs).toBeLessThan(WEBHOOK_TIMEOUT_SECONDS * 1_000);
    expect((await scene.get('web')).spec?.['type']).toBe('ClusterIP');
  });
});
