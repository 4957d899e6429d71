import { Chart, Testing } from 'cdk8s';

import { IpamOperator, type IpamOperatorProps } from '../../../../constructs';
import { parseSettings } from '../../../../operator/settings/parse-settings';
import {
  argumentsOf,
  containerOf,
  keysOf,
  namesOf,
  one,
  podOf,
  synthesized,
  zones,
  type Json,
} from '../../../support/operator-objects';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Every rule of every role of an installation, by the name of its role. */
function rulesOf(props: Partial<IpamOperatorProps> = {}): Record<string, readonly Rule[]> {
  const roles = synthesized(props).filter((object) => ['Role', 'ClusterRole'].includes(object['kind']!));
  return Object.fromEntries(
    roles.map((role) => [
      `${String(role['kind'])} ${String(role['metadata']!['name'])}`,
      role['rules'] as unknown as Rule[],
    ]),
  );
}

const postgres: Partial<IpamOperatorProps> = { store: { postgres: { connection: { name: 'dsn' } } } };
const remote: Partial<IpamOperatorProps> = {
  store: { remote: { url: 'https://ipam.example', token: { name: 'token' } } },
};
const EVERY_SHAPE: readonly Partial<IpamOperatorProps>[] = [
  {},
  { ...postgres, zonePools: 'claims', whenUnavailable: 'admit' },
  { ...remote, certificates: 'self-managed' },
  { services: { enabled: false }, ipamApi: { expose: {} } },
];

describe('the rights of the operator', () => {
  test('are these, by default', () => {
    expect(rulesOf()).toEqual({
      'ClusterRole ipam-manager-role': [
        { apiGroups: [''], resources: ['namespaces'], resourceNames: ['kube-system'], verbs: ['get'] },
      ],
      'Role ipam-manager-role': [
        { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
        {
          apiGroups: [''],
          resources: ['secrets'],
          resourceNames: ['default', 'ipam-cluster-identity'],
          verbs: ['get'],
        },
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['ipam-keys'], verbs: ['get'] },
      ],
      'ClusterRole ipam-services-role': [
        { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
        { apiGroups: [''], resources: ['services'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: [''], resources: ['services/status'], verbs: ['patch'] },
        {
          apiGroups: ['networking.k8s.io'],
          resources: ['servicecidrs'],
          resourceNames: ['kubernetes'],
          verbs: ['get'],
        },
        { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] },
        { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'list', 'patch'] },
      ],
      'Role ipam-services-role': [
        {
          apiGroups: ['discovery.k8s.io'],
          resources: ['endpointslices'],
          resourceNames: ['kubernetes'],
          verbs: ['list', 'watch'],
        },
      ],
      'Role ipam-pools-role': [{ apiGroups: ['metallb.io'], resources: ['ipaddresspools'], verbs: ['list', 'watch'] }],
    });
  });

  test('hold no wildcard, no writing of Services, and no list of Secrets, in any shape', () => {
    const rules = EVERY_SHAPE.flatMap((props) => Object.values(rulesOf(props)).flat());
    expect(rules.filter((rule) => JSON.stringify(rule).includes('*'))).toEqual([]);
    const on = (resource: string): string[] =>
      rules.filter(({ resources }) => resources.includes(resource)).flatMap(({ verbs }) => verbs);
    expect(new Set(on('services'))).toEqual(new Set(['get', 'list', 'watch']));
    expect(new Set(on('services/status'))).toEqual(new Set(['patch']));
    expect(new Set(on('secrets'))).toEqual(new Set(['create', 'get', 'list', 'watch', 'patch', 'update']));
    expect(
      rules.flatMap(({ verbs }) => verbs).filter((verb) => ['escalate', 'bind', 'impersonate'].includes(verb)),
    ).toEqual([]);
  });

  test('change Secrets of the operator by their names only', () => {
    const changing = EVERY_SHAPE.flatMap((props) => Object.values(rulesOf(props)).flat()).filter(
      ({ resources, verbs }) =>
        resources.includes('secrets') && verbs.some((verb) => ['patch', 'update'].includes(verb)),
    );
    const intents = Array.from({ length: 16 }, (_, index) => `ipam-intents-${String(index)}`);
    expect(changing.map(({ resourceNames }) => resourceNames)).toEqual([['ipam-self-signed'], intents]);
  });

  test('reach the pools of MetalLB where the operator writes them', () => {
    const changed = synthesized({ zonePools: 'claims' });
    const role = one(changed, 'Role', 'ipam-pools-role');
    expect(role['metadata']!['namespace']).toBe('metallb-system');
    expect(role['rules']![0]!['verbs']).toEqual(['list', 'watch', 'create', 'patch', 'delete']);
  });

  test('belong to the one service account, whose token only the Deployment mounts', () => {
    const objects = synthesized({ certificates: 'self-managed' });
    expect((one(objects, 'ServiceAccount')['automountServiceAccountToken'] as unknown) === false).toBe(true);
    expect(podOf(objects)).toMatchObject({
      serviceAccountName: 'ipam-controller-manager',
      automountServiceAccountToken: true,
    });
    const bindings = objects.filter((object) => String(object['kind']).endsWith('RoleBinding'));
    expect(bindings).toHaveLength(6);
    for (const binding of bindings) {
      expect(binding['subjects']).toEqual([
        { kind: 'ServiceAccount', name: 'ipam-controller-manager', namespace: 'ipam-system' },
      ]);
      expect(namesOf(objects, String(binding['roleRef']!['kind']))).toContain(binding['roleRef']!['name']);
    }
  });
});

describe('services.excludedNamespaces', () => {
  test('are left out beside those that always are, none twice', () => {
    const values = (props: Partial<IpamOperatorProps>): readonly string[] =>
      one(synthesized(props), 'ValidatingWebhookConfiguration')['webhooks']![0]!['namespaceSelector']![
        'matchExpressions'
      ]![0]!['values'] as unknown as string[];
    const standard = values({});
    expect(standard).toEqual(['kube-system', 'kube-public', 'kube-node-lease', 'ipam-system']);
    expect(values({ services: { excludedNamespaces: ['legacy', 'kube-system'] } })).toEqual([...standard, 'legacy']);
  });
});

describe('certificates: self-managed', () => {
  const objects = synthesized({ certificates: 'self-managed' });

  test('asks cert-manager for nothing', () => {
    expect(JSON.stringify(objects)).not.toContain('cert-manager.io');
    expect(namesOf(objects, 'Certificate')).toEqual([]);
    expect(namesOf(objects, 'Issuer')).toEqual([]);
  });

  test('writes no caBundle, which the operator fills in', () => {
    expect(keysOf(objects)).not.toContain('caBundle');
  });

  test('lets the operator patch its own two webhook configurations, no other', () => {
    expect(rulesOf({ certificates: 'self-managed' })['ClusterRole ipam-ca-bundle-role']).toEqual([
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['mutatingwebhookconfigurations'],
        resourceNames: [one(objects, 'MutatingWebhookConfiguration')['metadata']!['name']],
        verbs: ['get', 'patch'],
      },
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['validatingwebhookconfigurations'],
        resourceNames: [one(objects, 'ValidatingWebhookConfiguration')['metadata']!['name']],
        verbs: ['get', 'patch'],
      },
    ]);
  });

  test('keeps the CA in a Secret, so that all replicas show one', () => {
    const parsed = parseSettings({ argv: argumentsOf(objects), env: {} });
    expect(parsed).toMatchObject({ ok: true, value: { selfSignedSecret: 'ipam-self-signed', webhookCertPath: '' } });
    expect(podOf(objects)['volumes']!.map((volume) => volume['name'])).toEqual(['zones', 'data', 'scratch', 'run']);
  });

  test('gives no such right where cert-manager does the work', () => {
    expect(namesOf(synthesized(), 'ClusterRole')).not.toContain('ipam-ca-bundle-role');
  });
});

describe('ipamApi', () => {
  test('does not listen by default', () => {
    const objects = synthesized();
    expect(argumentsOf(objects).join(' ')).not.toContain('--ipam-api');
    expect(namesOf(objects, 'Service')).not.toContain('ipam-api');
    expect(namesOf(synthesized({ ipamApi: {} }), 'Service')).not.toContain('ipam-api');
  });

  test('listens over TLS, by a certificate of the CA, and answers nobody without a login', () => {
    const objects = synthesized({ ipamApi: { expose: {} } });
    const parsed = parseSettings({ argv: argumentsOf(objects), env: {} });
    expect(parsed).toMatchObject({
      ok: true,
      value: { ipamApiBindAddress: { host: '', port: 9444 }, ipamApiTls: true, allowAnonymousV2: false },
    });
    expect(argumentsOf(objects)).toContain('--allow-anonymous-v2=false');
    expect(one(objects, 'Service', 'ipam-api')['spec']).toEqual({
      type: 'ClusterIP',
      selector: { 'app.kubernetes.io/name': 'ipam-operator', 'app.kubernetes.io/component': 'controller-manager' },
      ports: [{ name: 'https', port: 443, targetPort: 'ipam-api', protocol: 'TCP' }],
    });
    expect(containerOf(objects)['ports']).toContainEqual({ name: 'ipam-api', containerPort: 9444, protocol: 'TCP' });
    expect(one(objects, 'Certificate', 'ipam-api-cert')['spec']).toMatchObject({
      secretName: 'ipam-api-server-cert',
      dnsNames: ['ipam-api.ipam-system.svc', 'ipam-api.ipam-system.svc.cluster.local'],
      issuerRef: { kind: 'Issuer', name: 'ipam-ca-issuer' },
    });
    expect(podOf(objects)['volumes']).toContainEqual({
      name: 'ipam-api-certificate',
      secret: { secretName: 'ipam-api-server-cert', defaultMode: 0o440 },
    });
  });

  test('takes port, type, annotations, names and issuer', () => {
    const objects = synthesized({
      ipamApi: {
        expose: {
          port: 8443,
          serviceType: 'LoadBalancer',
          serviceAnnotations: { 'metallb.io/address-pool': 'infra' },
          dnsNames: ['ipam.example'],
          issuer: { name: 'corp' },
          allowAnonymousV2: true,
        },
      },
    });
    const service = one(objects, 'Service', 'ipam-api');
    expect(service['metadata']!['annotations']).toEqual({ 'metallb.io/address-pool': 'infra' });
    expect(service['spec']).toMatchObject({ type: 'LoadBalancer', ports: [{ port: 8443 }] });
    expect(one(objects, 'Certificate', 'ipam-api-cert')['spec']).toMatchObject({
      dnsNames: expect.arrayContaining(['ipam.example']) as unknown,
      issuerRef: { group: 'cert-manager.io', kind: 'ClusterIssuer', name: 'corp' },
    });
    expect(argumentsOf(objects)).toContain('--allow-anonymous-v2=true');
  });

  test('takes a certificate of the user, and asks for none then', () => {
    const objects = synthesized({
      certificates: 'self-managed',
      ipamApi: { expose: { certificateSecret: 'corp-cert' } },
    });
    expect(namesOf(objects, 'Certificate')).toEqual([]);
    expect(podOf(objects)['volumes']).toContainEqual({
      name: 'ipam-api-certificate',
      secret: { secretName: 'corp-cert', defaultMode: 0o440 },
    });
  });
});

describe('networkPolicy', () => {
  const policyOf = (props: Partial<IpamOperatorProps>): Json => one(synthesized(props), 'NetworkPolicy')['spec']!;

  test('lets webhooks in from anywhere, and metrics from the monitoring', () => {
    expect(policyOf({})).toEqual({
      podSelector: {
        matchLabels: { 'app.kubernetes.io/name': 'ipam-operator', 'app.kubernetes.io/component': 'controller-manager' },
      },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        { ports: [{ protocol: 'TCP', port: 9443 }] },
        {
          ports: [{ protocol: 'TCP', port: 8081 }],
          from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
        },
      ],
      egress: [
        {
          ports: [
            { protocol: 'UDP', port: 53 },
            { protocol: 'TCP', port: 53 },
          ],
        },
        {
          ports: [
            { protocol: 'TCP', port: 443 },
            { protocol: 'TCP', port: 6443 },
          ],
        },
      ],
    });
  });

  test('takes namespaces, networks and ports', () => {
    const changed = policyOf({
      ...postgres,
      networkPolicy: {
        monitoringNamespaces: ['prometheus'],
        apiServerCidrs: ['10.0.0.1/32'],
        apiServerPorts: [16443],
        storeCidrs: ['10.9.0.0/24'],
      },
    });
    expect(changed['ingress']![1]!['from']).toEqual([
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'prometheus' } } },
    ]);
    expect(changed['egress']!.slice(1)).toEqual([
      { ports: [{ protocol: 'TCP', port: 16443 }], to: [{ ipBlock: { cidr: '10.0.0.1/32' } }] },
      { ports: [{ protocol: 'TCP', port: 5432 }], to: [{ ipBlock: { cidr: '10.9.0.0/24' } }] },
    ]);
  });

  test('takes an empty list of monitors for nobody, where Kubernetes would mean everybody', () => {
    expect(policyOf({ networkPolicy: { monitoringNamespaces: [] } })['ingress']).toEqual([
      { ports: [{ protocol: 'TCP', port: 9443 }] },
    ]);
  });

  test('opens the IPAM-API where it is exposed', () => {
    expect(policyOf({ ipamApi: { expose: {} } })['ingress']).toContainEqual({
      ports: [{ protocol: 'TCP', port: 9444 }],
    });
  });

  test('is not made where it is switched off', () => {
    expect(namesOf(synthesized({ networkPolicy: { enabled: false } }), 'NetworkPolicy')).toEqual([]);
  });
});

describe('extraObjects', () => {
  const extraObjects = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ipam-system' }, data: { empty: '' } },
    { apiVersion: 'example.com/v1', kind: 'Anything', metadata: { name: 'b' }, spec: { off: false, none: 0 } },
  ];

  test('are written as they are, before the webhooks, without a namespace that nobody gave', () => {
    const objects = synthesized({ extraObjects });
    expect(one(objects, 'ConfigMap', 'a')).toEqual({
      ...extraObjects[0],
      metadata: { name: 'a', namespace: 'ipam-system', labels: { team: 'net' } },
    });
    expect(one(objects, 'Anything')).toEqual({ ...extraObjects[1], metadata: { name: 'b', labels: { team: 'net' } } });
    expect(objects.slice(-2).map((object) => object['kind'])).toEqual([
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
    ]);
  });

  test('are there before the Pods that may read them', () => {
    const kinds = synthesized({ extraObjects }).map((object) => object['kind']);
    expect(kinds.indexOf('Anything' as Json)).toBeLessThan(kinds.indexOf('Deployment' as Json));
  });
});

describe('every shape', () => {
  const CLUSTER_SCOPED =
    /^(Namespace|ClusterRole|ClusterRoleBinding|(Mutating|Validating)WebhookConfiguration|CustomResourceDefinition|Validating.*Policy.*)$/;

  test.each(EVERY_SHAPE.map((props, i) => [i, props] as const))('%i has no known bad habit', (_i, props) => {
    const objects = synthesized(props);
    expect(keysOf(objects)).not.toContain('caBundle');
    expect(keysOf(objects)).not.toContain('externalIPs');
    expect(keysOf(objects).filter((key) => key.startsWith('cdk8s.io/'))).toEqual([]);
    const wrong = objects.filter(
      (object) => CLUSTER_SCOPED.test(object['kind']!) === 'namespace' in object['metadata']!,
    );
    expect(wrong).toEqual([]);
    const ids = objects.map(({ kind, metadata }) => [kind, metadata!['namespace'], metadata!['name']].join(' '));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('8: lets the webhooks depend on Deployment, Service and whatever makes the certificate', () => {
    const before = (props: Partial<IpamOperatorProps>): string[] => {
      const operator = new IpamOperator(new Chart(Testing.app(), 'chart'), 'operator', { zones, ...props });
      return operator.node.findChild('Webhooks').node.dependencies.map(({ node }) => node.id);
    };
    expect(before({})).toEqual(expect.arrayContaining(['Namespace', 'Deployment', 'Services', 'Certificate']));
    expect(before({ certificates: 'self-managed', createNamespace: false })).toEqual(
      expect.arrayContaining(['Deployment', 'Services', 'CaBundleAccess']),
    );
  });
});
