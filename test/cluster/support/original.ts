import { IPAM, METALLB } from '../../../operator/contract/group';
import type { Manifest } from './cluster-client';

const SYSTEM = 'ipam-system';
const LABELS = { 'app.kubernetes.io/name': 'ipam', 'control-plane': 'controller-manager' };
const RBAC = 'rbac.authorization.k8s.io';
const webhookService = (path: string) => ({ service: { name: 'ipam-webhook-service', namespace: SYSTEM, path } });
const ACCOUNT = { kind: 'ServiceAccount', name: 'ipam-controller-manager', namespace: SYSTEM };

/** Head of an object; `place` is `name` or `namespace/name`. */
function named(apiVersion: string, kind: string, place: string) {
  const [name = '', namespace] = place.split('/').toReversed();
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels: LABELS } };
}

function webhook(name: string, path: string, operations: readonly string[]) {
  const namespaces = ['kube-system', 'metallb-system', 'cert-manager', SYSTEM];
  return {
    name,
    admissionReviewVersions: ['v1'],
    failurePolicy: 'Fail',
    timeoutSeconds: 30,
    sideEffects: 'None',
    clientConfig: webhookService(path),
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations, resources: ['services'] }],
    namespaceSelector: {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: namespaces }],
    },
  };
}

const certificate = (name: string, secretName: string): Manifest => ({
  ...named('cert-manager.io/v1', 'Certificate', `${SYSTEM}/${name}`),
  spec: {
    dnsNames: ['ipam-webhook-service.ipam-system.svc', 'ipam-webhook-service.ipam-system.svc.cluster.local'],
    issuerRef: { kind: 'Issuer', name: 'ipam-selfsigned-issuer' },
    secretName,
  },
});

/** Objects of an installation of the original, with the names that it gave them (`specs/services.md` §8.1, §8.2). */
export const ORIGINAL: readonly Manifest[] = [
  named('v1', 'Namespace', SYSTEM),
  named('v1', 'ServiceAccount', `${SYSTEM}/ipam-controller-manager`),
  {
    ...named(`${RBAC}/v1`, 'ClusterRole', 'ipam-manager-role'),
    rules: [
      { apiGroups: ['*'], resources: ['secrets', 'services'], verbs: ['get', 'list', 'watch', 'create', 'update'] },
      { apiGroups: ['*'], resources: ['namespaces', 'pods'], verbs: ['get', 'list', 'watch'] },
    ],
  },
  {
    ...named(`${RBAC}/v1`, 'ClusterRoleBinding', 'ipam-manager-rolebinding'),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'ipam-manager-role' },
    subjects: [ACCOUNT],
  },
  {
    ...named('v1', 'ConfigMap', `${SYSTEM}/ipam-controller-config`),
    data: { IPAM_API_URL: 'http://ipam-api.example' },
  },
  {
    ...named('apps/v1', 'Deployment', `${SYSTEM}/ipam-controller-manager`),
    spec: {
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: {
          serviceAccountName: 'ipam-controller-manager',
          containers: [{ name: 'manager', image: 'ipam-operator', args: ['--leader-elect'] }],
        },
      },
    },
  },
  {
    ...named('v1', 'Service', `${SYSTEM}/ipam-webhook-service`),
    spec: { ports: [{ port: 443, protocol: 'TCP', targetPort: 9443 }], selector: LABELS },
  },
  {
    ...named('v1', 'Service', `${SYSTEM}/ipam-controller-manager-metrics-service`),
    spec: { ports: [{ name: 'https', port: 8443, protocol: 'TCP', targetPort: 8443 }], selector: LABELS },
  },
  { ...named('cert-manager.io/v1', 'Issuer', `${SYSTEM}/ipam-selfsigned-issuer`), spec: { selfSigned: {} } },
  certificate('ipam-serving-cert', 'webhook-server-cert'),
  certificate('ipam-metrics-certs', 'metrics-server-cert'),
];

/** The webhooks of the original, which nobody answers once it is stopped. */
export const ORIGINAL_WEBHOOKS: readonly Manifest[] = [
  {
    ...named('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'ipam-mutating-webhook-configuration'),
    webhooks: [webhook('mservice-v1.kb.io', '/mutate--v1-service', ['CREATE', 'UPDATE'])],
  } as Manifest,
  {
    ...named(
      'admissionregistration.k8s.io/v1',
      'ValidatingWebhookConfiguration',
      'ipam-validating-webhook-configuration',
    ),
    webhooks: [webhook('vservice-v1.kb.io', '/validate--v1-service', ['CREATE', 'UPDATE', 'DELETE'])],
  } as Manifest,
];

/** The default secret of a cluster as the original makes it. */
export function originalSecret(value: string): Manifest {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'default', namespace: SYSTEM } };
  return { ...secret, type: 'Opaque', immutable: true, stringData: { secret: value } } as Manifest;
}

/** A pool as the original writes it: named like the zone, one host prefix for each address, no labels. */
export function originalPool(zone: string, addresses: readonly string[]): Manifest {
  const hosts = addresses.map((address) => `${address}/${address.includes(':') ? '128' : '32'}`);
  return {
    apiVersion: 'metallb.io/v1beta1',
    kind: 'IPAddressPool',
    metadata: { name: zone, namespace: 'metallb-system' },
    spec: { addresses: hosts, autoAssign: false, avoidBuggyIPs: false },
  };
}

/** How a Service of the original differs from the one of most users. */
export interface OriginalWish {
  readonly zone: string;
  readonly addresses: string;
  readonly family?: 'ipv4' | 'ipv6' | 'dual';
  readonly secret?: string;
  readonly sharingKey?: string;
}

/** The annotations of a Service that the original has served. */
export function originalAnnotations(wish: OriginalWish): Readonly<Record<string, string>> {
  const { zone, addresses, family = 'ipv4', secret = 'default' } = wish;
  const { sharingKey = `pre-shared-key-${'x'.repeat(32)}` } = wish;
  return {
    [IPAM.addresses]: addresses,
    [IPAM.ipFamily]: family,
    [IPAM.zone]: zone,
    [IPAM.secret]: secret,
    [IPAM.retentionPeriodDays]: '0',
    [IPAM.denyExternalCleanup]: 'false',
    [IPAM.allowLocalSharedIp]: sharingKey,
    [METALLB.pool]: zone,
    [METALLB.addresses]: addresses,
    [METALLB.sharing]: sharingKey,
  };
}
