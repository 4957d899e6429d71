import type { k8s } from 'cdk8s-plus-28';
import type { IpamOperatorProps } from '../../../../../constructs';
import { containerOf, keysOf, namesOf, one, podOf, synthesized, type Json } from '../../../../support/operator-objects';

const SHAPES: Readonly<Record<string, Partial<IpamOperatorProps>>> = {
  'sqlite on Kubernetes': {},
  'postgres on Kubernetes': { store: { postgres: { connection: { name: 'dsn' }, ca: { name: 'ca' } } } },
  'remote, exposed by a certificate of its own': {
    store: { remote: { url: 'https://ipam.example', token: { name: 't' } } },
    certificates: 'self-managed',
  },
  'sqlite on OpenShift': { platform: 'openshift', ipamApi: { expose: {} } },
};

/** Lists problems of a Pod under Pod Security `restricted`; the rules of Kubernetes 1.36 that our kinds of Pods can break. */
function restrictedProblems(pod: Json): string[] {
  const containers = ['containers', 'initContainers', 'ephemeralContainers'].flatMap(
    (key) => (pod[key] ?? []) as readonly Json[],
  );
  const allowedVolumes = [
    'configMap',
    'csi',
    'downwardAPI',
    'emptyDir',
    'ephemeral',
    'persistentVolumeClaim',
    'projected',
    'secret',
  ];
  const whole = (pod['securityContext'] ?? {}) as Record<string, unknown>;
  const rules: readonly (readonly [string, boolean])[] = [
    ['host namespaces', ['hostNetwork', 'hostPID', 'hostIPC'].some((key) => key in pod)],
    ['host ports', keysOf(pod).includes('hostPort')],
    [
      'volume types',
      (pod['volumes'] ?? []).some(
        (volume) => !Object.keys(volume).every((key) => key === 'name' || allowedVolumes.includes(key)),
      ),
    ],
    [
      'sysctls, SELinux, AppArmor',
      keysOf(pod).some((key) => ['sysctls', 'seLinuxOptions', 'appArmorProfile', 'procMount'].includes(key)),
    ],
    ['root', whole['runAsUser'] === 0 || whole['runAsNonRoot'] !== true],
    ['seccomp', (whole['seccompProfile'] as { type?: string } | undefined)?.type !== 'RuntimeDefault'],
    ...containers.flatMap((container): (readonly [string, boolean])[] => {
      const context = container['securityContext']!;
      return [
        ['privilege escalation', (context['allowPrivilegeEscalation'] as unknown) !== false],
        ['privileged', (context['privileged'] as unknown) === true],
        ['capabilities', JSON.stringify(context['capabilities']) !== '{"drop":["ALL"]}'],
        [
          'root of a container',
          (context['runAsNonRoot'] as unknown) === false || (context['runAsUser'] as unknown) === 0,
        ],
      ];
    }),
  ];
  return rules.flatMap(([what, broken]) => (broken ? [what] : []));
}

describe.each(Object.entries(SHAPES))('the Pods of %s', (_name, props) => {
  const objects = synthesized(props);

  test('fulfil Pod Security restricted', () => {
    expect(restrictedProblems(podOf(objects))).toEqual([]);
  });

  test('write to their volumes only', () => {
    expect(containerOf(objects)['securityContext']).toMatchObject({ readOnlyRootFilesystem: true });
    const writable = containerOf(objects)['volumeMounts']!.filter((mount) => (mount['readOnly'] as unknown) !== true);
    expect(writable.map((mount) => mount['mountPath'])).toEqual(
      namesOf(objects, 'PersistentVolumeClaim').length === 1
        ? ['/var/lib/ipam', '/tmp', '/run/ipam']
        : ['/tmp', '/run/ipam'],
    );
  });
});

describe('restrictedProblems', () => {
  test('finds a Pod that breaks the rules', () => {
    const bare = { containers: [{ securityContext: {} }], hostNetwork: true, volumes: [{ name: 'a', hostPath: {} }] };
    expect(restrictedProblems(bare as unknown as Json)).toEqual([
      'host namespaces',
      'volume types',
      'root',
      'seccomp',
      'privilege escalation',
      'capabilities',
    ]);
  });
});

describe('platform', () => {
  test('kubernetes: runs as the user of the image, and its group owns the volumes', () => {
    expect(podOf(synthesized())['securityContext']).toEqual({
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      fsGroup: 65532,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(Object.keys(one(synthesized(), 'Namespace')['metadata']!['labels']!)).not.toContain(
      'openshift.io/cluster-monitoring',
    );
  });

  test('openshift: leaves users and groups to the platform and asks to be monitored', () => {
    const objects = synthesized({ platform: 'openshift' });
    expect(podOf(objects)['securityContext']).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(one(objects, 'Namespace')['metadata']!['labels']).toMatchObject({
      'openshift.io/cluster-monitoring': 'true',
      'pod-security.kubernetes.io/enforce': 'restricted',
    });
    expect(keysOf(objects)).not.toEqual(expect.arrayContaining(['runAsUser', 'fsGroup']));
  });

  test('openshift: reaches the DNS Pods, and is read by the monitoring of the platform', () => {
    const { ingress, egress } = one(synthesized({ platform: 'openshift' }), 'NetworkPolicy')['spec'] as unknown as {
      ingress: { from?: unknown[] }[];
      egress: { ports: { port: number }[] }[];
    };
    expect(egress[0]?.ports.map(({ port }) => port)).toEqual([53, 53, 5353, 5353]);
    expect(ingress[1]?.from).toHaveLength(2);
  });
});

describe('createNamespace', () => {
  test('false: makes none, and orders everything else as before', () => {
    const objects = synthesized({ createNamespace: false });
    expect(namesOf(objects, 'Namespace')).toEqual([]);
    expect(objects.slice(-2).map((object) => object['kind'])).toEqual([
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
    ]);
  });
});

describe('scheduling', () => {
  test('says nothing but the system of the nodes where nothing is said', () => {
    const pod = podOf(synthesized());
    expect(pod['nodeSelector']).toEqual({ 'kubernetes.io/os': 'linux' });
    const absent = ['tolerations', 'affinity', 'topologySpreadConstraints', 'priorityClassName', 'imagePullSecrets'];
    expect(Object.keys(pod).filter((key) => absent.includes(key))).toEqual([]);
  });

  test('takes selector, tolerations, affinity, spread and priority', () => {
    const toleration: k8s.Toleration = { key: 'infra', operator: 'Exists', effect: 'NoSchedule' };
    const affinity: k8s.Affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'gpu', operator: 'DoesNotExist' }] }],
        },
      },
    };
    const spread = { topologyKey: 'rack', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' };
    const pod = podOf(
      synthesized({
        nodeSelector: { infra: 'true' },
        tolerations: [toleration],
        affinity,
        topologySpread: [spread],
        priorityClassName: 'critical',
      }),
    );
    expect(pod).toMatchObject({
      nodeSelector: { 'kubernetes.io/os': 'linux', infra: 'true' },
      tolerations: [toleration],
      affinity,
      topologySpreadConstraints: [spread],
      priorityClassName: 'critical',
    });
  });

  test('spreads nothing where the list is empty', () => {
    const pod = podOf(synthesized({ store: { postgres: { connection: { name: 'a' } } }, topologySpread: [] }));
    expect(pod).not.toHaveProperty('topologySpreadConstraints');
  });
});

describe('podLabels and podAnnotations', () => {
  test('stand beside those of the operator, on the Pods only', () => {
    const deployment = one(
      synthesized({ podLabels: { cost: 'net' }, podAnnotations: { 'sidecar.istio.io/inject': 'false' } }),
      'Deployment',
    );
    const { labels, annotations } = deployment['spec']!['template']!['metadata']!;
    expect(labels).toMatchObject({ cost: 'net', 'app.kubernetes.io/component': 'controller-manager' });
    expect(annotations).toEqual({
      'kubectl.kubernetes.io/default-container': 'manager',
      'sidecar.istio.io/inject': 'false',
    });
    expect(deployment['spec']!['selector']!['matchLabels']).not.toHaveProperty('cost');
  });
});

describe('extraEnv', () => {
  test('takes plain values and keys of Secrets, false and empty texts too', () => {
    const changed = synthesized({
      extraEnv: [
        { name: 'HTTPS_PROXY', value: 'http://proxy.example:3128' },
        { name: 'NO_PROXY', value: '' },
        { name: 'PROXY_PASSWORD', secret: { name: 'proxy' } },
        { name: 'OTHER_TOKEN', secret: { name: 'proxy', key: 'token' } },
      ],
    });
    expect(containerOf(changed)['env']).toEqual([
      { name: 'HTTPS_PROXY', value: 'http://proxy.example:3128' },
      { name: 'NO_PROXY', value: '' },
      { name: 'PROXY_PASSWORD', valueFrom: { secretKeyRef: { name: 'proxy', key: 'PROXY_PASSWORD' } } },
      { name: 'OTHER_TOKEN', valueFrom: { secretKeyRef: { name: 'proxy', key: 'token' } } },
    ]);
  });
});

describe('the startup probe', () => {
  test('FU-85 begins when the program has loaded, and leaves two minutes to open a large store', () => {
    const probe = containerOf(synthesized({}))['startupProbe'] as unknown as k8s.Probe;
    const { initialDelaySeconds = 0, periodSeconds = 0, failureThreshold = 0 } = probe;
    // a refused connection is a Warning Event; listening took up to 2 s on a loaded node
    expect(initialDelaySeconds).toBeGreaterThanOrEqual(3);
    expect(initialDelaySeconds + periodSeconds * failureThreshold).toBeGreaterThanOrEqual(120);
  });
});
