import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { IpamOperatorProps } from '../../../constructs';
import { renderedManifests } from '../../../constructs/render/manifests';
import type { Json, Manifest } from '../support/cluster-client';
import { synthesizedYaml } from '../support/installation';
import { monitoringKind } from '../support/monitoring-kind';
import { installCertManagerKinds, installMetalLbKinds } from '../support/neighbours';
import { useControlPlane } from '../support/use-control-plane';

const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    await Promise.all([installMetalLbKinds(control), installCertManagerKinds(control)]);
    await control.client.apply([
      monitoringKind('ServiceMonitor', 'servicemonitors'),
      monitoringKind('PrometheusRule', 'prometheusrules'),
      // a dry run needs the namespace that the same installation would have made
      ...synthesizedYaml(control.folder).objects.filter(({ kind }) => kind === 'Namespace'),
    ]);
  },
});

const POSTGRES = { store: { postgres: { connection: { name: 'dsn' }, ca: { name: 'ca' } } } };
const SHAPES: readonly { readonly shape: string; readonly props: Partial<IpamOperatorProps> }[] = [
  { shape: 'SQLite, every default', props: {} },
  {
    shape: 'SQLite with a volume, a default zone and classes of its own',
    props: {
      store: { sqlite: { size: '5Gi', storageClassName: 'fast' } },
      services: { defaultZone: 'inet', loadBalancerClasses: ['example.com/metallb'], excludedNamespaces: ['build'] },
      settings: { admissionDeadlineSeconds: 5, reservationLeaseSeconds: 60, shutdownDelaySeconds: 1 },
    },
  },
  { shape: 'PostgreSQL with three replicas', props: { ...POSTGRES, replicas: 3 } },
  {
    shape: 'a remote IPAM-API, version 3',
    props: { store: { remote: { url: 'https://ipam.example', token: { name: 'token' }, ca: { name: 'ca' } } } },
  },
  {
    shape: 'a remote IPAM-API, version 2',
    props: { store: { remote: { url: 'https://ipam.example', apiVersion: 2 } } },
  },
  { shape: 'OpenShift', props: { platform: 'openshift' } },
  { shape: 'OpenShift with PostgreSQL', props: { ...POSTGRES, platform: 'openshift' } },
  { shape: 'certificates of its own', props: { certificates: 'self-managed' } },
  { shape: 'pools by claims, admitting', props: { zonePools: 'claims', whenUnavailable: 'admit' } },
  {
    shape: 'an exposed IPAM-API',
    props: { ipamApi: { expose: { serviceType: 'LoadBalancer', dnsNames: ['a.example'] } } },
  },
  {
    shape: 'an exposed IPAM-API with a certificate of the company',
    props: { ipamApi: { expose: { certificateSecret: 'corporate' } } },
  },
  { shape: 'a single family', props: { clusterFamilies: ['IPv4'] } },
  { shape: 'all monitoring', props: { monitoring: { serviceMonitor: {}, prometheusRule: {}, dashboard: {} } } },
  {
    shape: 'a Pod with everything',
    props: {
      priorityClassName: 'system-cluster-critical',
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'edge', operator: 'Exists' }],
      extraEnv: [
        { name: 'HTTPS_PROXY', value: 'http://proxy:3128' },
        { name: 'TOKEN', secret: { name: 'proxy' } },
      ],
      podAnnotations: { 'example.com/a': 'b' },
      podLabels: { team: 'net' },
      networkPolicy: { apiServerCidrs: ['10.0.0.0/8'], monitoringNamespaces: ['monitoring'] },
    },
  },
  {
    shape: 'related systems',
    props: {
      zonePools: 'claims',
      netbox: { url: 'https://netbox.example', token: { name: 'netbox' } },
      cleanupEvents: { url: 'https://events.example', token: { name: 'events' } },
      splunk: { url: 'https://splunk.example', token: { name: 'splunk' } },
    },
  },
  {
    shape: 'every door',
    props: {
      vips: { enabled: true, migration: true },
      clusterApi: { enabled: true },
      egress: { enabled: true },
      networks: { enabled: true, grpc: {} },
    },
  },
  { shape: 'no namespace and no kinds', props: { createNamespace: false, crds: { install: false } } },
];

/** The Pod that the Deployment would make; Pod Security refuses Pods, and only warns of Deployments. */
function podsOf(objects: readonly Manifest[]): readonly Manifest[] {
  return objects
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ metadata: { namespace = '' }, spec }) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'replica', namespace },
      spec: (spec as Json)['template']?.['spec'],
    }));
}

describe('a server-side dry run of the synthesized YAML', () => {
  test.each(SHAPES)('accepts $shape without a warning, its Pod under Pod Security "restricted"', async ({ props }) => {
    const { client, folder } = plane();
    const { objects } = synthesizedYaml(folder, props);
    const answers = await client.apply([...objects, ...podsOf(objects)], { dryRun: true });

    expect(answers.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(answers.map(({ body }) => body.kind)).toEqual([
      ...objects.map(({ kind }) => kind),
      ...podsOf(objects).map(() => 'Pod'),
    ]);
  });
});

describe('a second manager of server-side apply', () => {
  test.each(SHAPES)('FU-78 has no conflict about $shape', async ({ props }) => {
    const { client, folder } = plane();
    const { objects } = synthesizedYaml(folder, props);
    // a volume keeps what it was made with
    const applied = objects.filter(({ kind }) => kind !== 'PersistentVolumeClaim');
    await client.apply(applied);
    const conflicts: string[] = [];
    for (const object of applied) {
      const path = `${await client.pathOf(object)}?fieldManager=second&dryRun=All`;
      const { status, body } = await client.attempt('PATCH', path, object, 'apply');
      if (status !== 200) conflicts.push(`${object.kind} ${object.metadata.name}: ${body.message ?? ''}`);
    }
    expect(conflicts).toEqual([]);
  });
});

describe('a dry run that finds something', () => {
  const pod = { containers: [{ name: 'all', image: 'all', securityContext: { privileged: true } }] };

  test('tells what Pod Security says of a Deployment', async () => {
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'all', namespace: 'ipam-system' },
      spec: {
        selector: { matchLabels: { app: 'all' } },
        template: { metadata: { labels: { app: 'all' } }, spec: pod },
      },
    };
    const [answer] = await plane().client.apply([deployment], { dryRun: true });

    expect(answer?.warnings).toEqual([expect.stringContaining('would violate PodSecurity "restricted')]);
  });

  test('refuses a Pod that Pod Security does not admit', async () => {
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'all', namespace: 'ipam-system' }, spec: pod };

    await expect(plane().client.apply([object], { dryRun: true })).rejects.toThrow('violates PodSecurity');
  });

  test('refuses a field that the server does not know', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'odd' }, dada: {} };

    await expect(plane().client.apply([object], { dryRun: true })).rejects.toThrow('dada');
  });
});

describe('the rendered manifests', () => {
  function written(): string {
    const folder = join(plane().folder, 'manifests');
    for (const [path, text] of Object.entries(renderedManifests())) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return folder;
  }
  const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

  test('install.yaml passes kubectl apply -f, client-side and server-side', async () => {
    const file = join(written(), 'install.yaml');
    const client = lines(await plane().kubectl('apply', '--dry-run=server', '-f', file));
    const server = lines(
      await plane().kubectl('apply', '--server-side', '--force-conflicts', '--dry-run=server', '-f', file),
    );

    expect(client.length).toBeGreaterThan(20);
    expect(server.length).toBe(client.length);
  });

  test('the kustomize base passes kubectl apply -k and names the same objects', async () => {
    const folder = written();
    const names = (text: string): readonly string[] =>
      lines(text)
        .map((line) => line.split(' ')[0] ?? '')
        .sort();
    const base = names(await plane().kubectl('apply', '--dry-run=server', '-k', join(folder, 'kustomize')));
    const file = names(await plane().kubectl('apply', '--dry-run=server', '-f', join(folder, 'install.yaml')));

    expect(base).toEqual(file);
  });
});
