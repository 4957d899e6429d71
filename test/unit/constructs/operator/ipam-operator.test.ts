import { Chart, Testing } from 'cdk8s';
import { parse } from 'yaml';

import { IpamOperator } from '../../../../constructs';
import { PACKAGE_VERSION } from '../../../../constructs/operator/pod/image';
import { parseZones } from '../../../../operator/contract/zones';
import { parseSettings } from '../../../../operator/settings/parse-settings';
import { version } from '../../../../package.json';
import { imageOf, keysOf, namesOf, one, synthesized, zones, type Json } from '../../../support/operator-objects';

const CLUSTER_SCOPED = [
  'Namespace',
  'ClusterRole',
  'ClusterRoleBinding',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'CustomResourceDefinition',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
];

describe('IpamOperator', () => {
  const objects = synthesized();
  const deployment = one(objects, 'Deployment');
  const pod = deployment['spec']!['template']!['spec']!;
  const container = pod['containers']![0]!;
  const webhookKinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const;

  test('writes no caBundle, nowhere', () => {
    expect(keysOf(objects)).not.toContain('caBundle');
  });

  test('puts no namespace on cluster-scoped kinds, and its own on all others', () => {
    const wrong = objects.filter(
      (object) => CLUSTER_SCOPED.includes(object['kind']!) === 'namespace' in object['metadata']!,
    );
    expect(wrong).toEqual([]);
    const namespaces = new Set(objects.map((object) => object['metadata']!['namespace']));
    expect(namespaces).toEqual(new Set([undefined, 'default', 'ipam-system', 'metallb-system']));
  });

  test('selects Pods by stable labels, never by the path of a construct', () => {
    expect(keysOf(objects).filter((key) => key.startsWith('cdk8s.io/'))).toEqual([]);
    const labels =
      pod['serviceAccountName'] === undefined ? {} : deployment['spec']!['template']!['metadata']!['labels'];
    const selectors = [
      deployment['spec']!['selector']!['matchLabels'],
      ...namesOf(objects, 'Service').map((name) => one(objects, 'Service', name)['spec']!['selector']),
    ];
    for (const selector of selectors) {
      expect(selector).toEqual({
        'app.kubernetes.io/name': 'ipam-operator',
        'app.kubernetes.io/component': 'controller-manager',
      });
      expect(labels).toMatchObject(selector!);
    }
  });

  test('orders the namespace first and the webhooks last, after Deployment, Service and Certificate', () => {
    const kinds = objects.map((object) => object['kind']);
    expect(kinds[0]).toBe('Namespace');
    expect(kinds.slice(-2)).toEqual(webhookKinds);
    expect(kinds).toEqual(expect.arrayContaining(['Deployment', 'Service', 'Certificate']));
  });

  test('lets the webhooks depend on Deployment, Service and Certificate by the graph, not by luck', () => {
    const chart = new Chart(Testing.app(), 'chart');
    const operator = new IpamOperator(chart, 'operator', { zones });
    const before = operator.node.findChild('Webhooks').node.dependencies.map(({ node }) => node.id);
    expect(before).toEqual(expect.arrayContaining(['Namespace', 'Deployment', 'Services', 'Certificate', 'Pools']));
  });

  test('keeps its names whatever the construct is called', () => {
    const chart = new Chart(Testing.app(), 'other');
    new IpamOperator(chart, 'renamed', { zones });
    const names = (list: readonly Json[]): unknown[] =>
      list.map((object) => [object['kind'], object['metadata']!['name']]);
    expect(names(Testing.synth(chart) as Json[])).toEqual(names(objects));
  });

  test('labels every object', () => {
    for (const object of objects) {
      expect(object['metadata']!['labels']).toMatchObject({
        'app.kubernetes.io/name': 'ipam-operator',
        'app.kubernetes.io/part-of': 'ipam',
        'app.kubernetes.io/managed-by': 'cdk8s-ipam',
        team: 'net',
      });
    }
  });

  test('fulfils Pod Security restricted, which its namespace enforces', () => {
    expect(one(objects, 'Namespace')['metadata']!['labels']).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });
    expect(pod['securityContext']).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container['securityContext']).toEqual({
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(keysOf(pod)).not.toEqual(expect.arrayContaining(['hostPath']));
    expect(pod).not.toHaveProperty('hostNetwork');
  });

  test('runs one Pod that is stopped before its successor starts, on a volume that stays', () => {
    expect(deployment['spec']).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    const volume = one(objects, 'PersistentVolumeClaim');
    expect(volume['spec']).toEqual({ accessModes: ['ReadWriteOncePod'], resources: { requests: { storage: '1Gi' } } });
    expect(volume['metadata']!['annotations']).toHaveProperty(['helm.sh/resource-policy'], 'keep');
  });

  test('asks for resources and probes the health port', () => {
    expect(container['resources']).toEqual({ requests: { cpu: '50m', memory: '192Mi' }, limits: { memory: '512Mi' } });
    const port = (container['ports'] as unknown as { name: string; containerPort: number }[]).find(
      ({ name }) => name === 'health',
    );
    expect(port?.containerPort).toBe(8081);
    expect(container['livenessProbe']).toMatchObject({ httpGet: { path: '/healthz', port: 'health' } });
    expect(container['readinessProbe']).toMatchObject({ httpGet: { path: '/readyz', port: 'health' } });
  });

  test('starts the operator with arguments that it understands, and that fit the mounts', () => {
    const { args, volumeMounts } = container as unknown as {
      args: string[];
      volumeMounts: { name: string; mountPath: string }[];
    };
    const parsed = parseSettings({ argv: args, env: {} });
    if (!parsed.ok) throw new TypeError(parsed.problems.map(({ message }) => message).join('\n'));
    const paths = Object.fromEntries(volumeMounts.map(({ name, mountPath }) => [name, mountPath]));
    expect(parsed.value).toMatchObject({
      zonesFile: `${String(paths['zones'])}/zones.yaml`,
      sqliteFile: `${String(paths['data'])}/ipam.sqlite`,
      hashKeySecret: 'ipam-keys',
      webhookCertPath: paths['certificate'],
      webhookBindAddress: { host: '', port: 9443 },
      healthProbeBindAddress: { host: '', port: 8081 },
      whenUnavailable: 'deny',
      standalone: false,
    });
  });

  test('writes the zones into a ConfigMap that the operator reads back', () => {
    const text = one(objects, 'ConfigMap', 'ipam-zones')['data']!['zones.yaml']!;
    for (const dialect of ['1.1', '1.2'] as const) {
      const outcome = parseZones(parse(text, { version: dialect }));
      expect(outcome.ok && outcome.value.names).toEqual(['hnet-private', 'inet']);
    }
    expect(text).not.toContain('advertise');
  });

  test('names the default zone in the document', () => {
    const changed = synthesized({ services: { defaultZone: 'inet' } });
    const document = parse(one(changed, 'ConfigMap')['data']!['zones.yaml']!) as unknown;
    expect(document).toMatchObject({ version: 2, services: { defaultZone: 'inet' } });
  });

  test('writes no anchors where two zones share one list', () => {
    const excluded = ['172.16.0.0'];
    const changed = synthesized({
      zones: [
        { name: 'a', prefixes: ['172.16.0.0/24'], excluded },
        {
          name: 'b',
          network: 'b',
          prefixes: ['10.0.0.0/24'],
          excluded: ['10.0.0.0'],
          namespaces: { matchLabels: { a: 'b' } },
        },
      ],
    });
    expect(one(changed, 'ConfigMap')['data']!['zones.yaml']).not.toMatch(/[&*]a\d/);
  });

  test('gives MetalLB one pool per zone from which it never assigns by itself', () => {
    expect(namesOf(objects, 'IPAddressPool')).toEqual(['hnet-private', 'inet']);
    expect(one(objects, 'IPAddressPool', 'inet')['spec']).toEqual({
      addresses: ['83.118.168.0/24', '2a05:1234::/112'],
      autoAssign: false,
      avoidBuggyIPs: false,
    });
    expect(one(objects, 'L2Advertisement', 'inet')['spec']).toEqual({ ipAddressPools: ['inet'] });
  });

  test('leaves the advertisement to the user where he says so', () => {
    const changed = synthesized({ zones: [{ ...zones[0]!, advertise: 'none' }, zones[1]!] });
    expect(namesOf(changed, 'IPAddressPool')).toEqual(['hnet-private', 'inet']);
    expect(namesOf(changed, 'L2Advertisement')).toEqual(['inet']);
  });

  test('keeps the family that a single-stack cluster lacks out of the pools', () => {
    const changed = synthesized({ clusterFamilies: ['IPv4'] });
    expect(one(changed, 'IPAddressPool', 'inet')['spec']!['addresses']).toEqual(['83.118.168.0/24']);
  });

  test('names the image by registry, tag and digest', () => {
    expect(imageOf(synthesized())).toBe(`cdk8s-ipam:${version}`);
    const digest = `sha256:${'ab'.repeat(32)}`;
    expect(imageOf(synthesized({ image: { registry: 'registry.example:5000/ops/', tag: '1', digest } }))).toBe(
      `registry.example:5000/ops/cdk8s-ipam:1@${digest}`,
    );
    expect(PACKAGE_VERSION).toBe(version);
  });

  test('takes pull secrets, resources, storage and priority', () => {
    const changed = synthesized({
      image: { pullSecrets: ['registry'], pullPolicy: 'Always' },
      resources: { cpuRequest: '1', cpuLimit: '2', memoryRequest: '1Gi', memoryLimit: '2Gi' },
      store: { sqlite: { size: '5Gi', storageClassName: 'fast' } },
      priorityClassName: 'system-cluster-critical',
    });
    const spec = one(changed, 'Deployment')['spec']!['template']!['spec']!;
    expect(spec).toMatchObject({
      imagePullSecrets: [{ name: 'registry' }],
      priorityClassName: 'system-cluster-critical',
    });
    expect(spec['containers']![0]).toMatchObject({
      imagePullPolicy: 'Always',
      resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '2Gi' } },
    });
    expect(one(changed, 'PersistentVolumeClaim')['spec']).toMatchObject({
      storageClassName: 'fast',
      resources: { requests: { storage: '5Gi' } },
    });
  });
});
