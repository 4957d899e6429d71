import { ADDRESS_READY, IPAM, METALLB } from '../../operator/contract/group';
import type { ClusterClient, Manifest } from './support/cluster-client';
import { eventually } from './support/eventually';
import { applyInstallation, tokenFor } from './support/installation';
import { installCertManagerKinds, installMetalLbKinds } from './support/neighbours';
import { useControlPlane } from './support/use-control-plane';

const SERVICES = '/api/v1/namespaces/default/services';
const SECRETS = '/api/v1/namespaces/ipam-system/secrets';
const STATUS = `${SERVICES}/web/status`;
const GUARDED = /the operator writes/u;
const isGuarded = (message = ''): boolean => GUARDED.test(message);

let operator: ClusterClient;
const plane = useControlPlane({
  prepare: async (control) => {
    const { client } = control;
    await Promise.all([installMetalLbKinds(control), installCertManagerKinds(control)]);
    await applyInstallation(control);
    // whatever the roles of later versions say, and whoever binds others: the policy alone decides here
    await client.apply(rightsForAll);
    operator = client.as(await tokenFor(control, 'ipam-system', 'ipam-controller-manager'));
    await client.request('POST', SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'web',
        labels: { app: 'web' },
        annotations: { theirs: 'kept' },
        finalizers: ['example.com/theirs'],
      },
      spec: { type: 'LoadBalancer', loadBalancerClass: 'example.com/theirs', ports: [{ port: 80 }] },
    });
    const probe = { metadata: { labels: { app: 'probe' } } };
    await eventually(async () => {
      const { status, body } = await operator.attempt('PATCH', `${STATUS}?dryRun=All`, probe, 'merge');
      return status !== 200 && isGuarded(body.message);
    });
  },
});

const rightsForAll = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'all-for-the-operator' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'ipam-controller-manager', namespace: 'ipam-system' }],
  },
] as readonly (Manifest & Record<string, unknown>)[];

const nobody = { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: '7d9f0f3c-0000-4000-8000-000000000000' };
const foreign = {
  type: 'example.com/Theirs',
  status: 'True',
  reason: 'R',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};
const ours = { ...foreign, type: ADDRESS_READY, reason: 'Bound' };
const secret = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  metadata: { name },
  ...more,
});
const many = Object.fromEntries(Array.from({ length: 12_000 }, (_, i) => [`k${String(i)}`, 'v'.repeat(10)]));

const REFUSED: readonly (readonly [string, object])[] = [
  ['an owner reference to nobody', { metadata: { ownerReferences: [nobody] } }],
  ['a finalizer', { metadata: { finalizers: ['example.com/theirs', 'example.com/ours'] } }],
  ['no finalizer', { metadata: { finalizers: null } }],
  ['labels', { metadata: { labels: { app: 'other' } } }],
  ['no labels', { metadata: { labels: null } }],
  ['an ingress', { status: { loadBalancer: { ingress: [{ ip: '83.118.168.7' }] } } }],
  ['an annotation of others', { metadata: { annotations: { theirs: 'changed' } } }],
  ['no annotations', { metadata: { annotations: null } }],
  ['an annotation that begins like ours', { metadata: { annotations: { 'ipam.vitistack.iox/zone': 'inet' } } }],
  ["MetalLB's own annotation", { metadata: { annotations: { 'metallb.io/ip-allocated-from-pool': 'inet' } } }],
  ['a condition of others', { status: { conditions: [foreign] } }],
];

describe('FU-23 the service account of the operator', () => {
  test.each(REFUSED)('cannot write %s to the status of a Service', async (_what, change) => {
    const { status, body } = await operator.attempt('PATCH', STATUS, change, 'merge');
    expect([status, body.message]).toEqual([403, expect.stringMatching(GUARDED)]);
  });

  test('cannot write Services but through their status', async () => {
    const spec = { spec: { ports: [{ port: 80 }] } };
    const answers = [
      await operator.attempt(
        'PATCH',
        `${SERVICES}/web`,
        { metadata: { annotations: { [IPAM.zone]: 'inet' } } },
        'merge',
      ),
      await operator.attempt('POST', SERVICES, {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'own' },
        ...spec,
      }),
      await operator.attempt('DELETE', `${SERVICES}/web`),
      await operator.attempt('DELETE', SERVICES),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  test('cannot make a token, or any Secret but its own', async () => {
    const annotations = { 'kubernetes.io/service-account.name': 'ipam-controller-manager' };
    await plane().client.request('POST', SECRETS, secret('theirs'));
    const token = { type: 'kubernetes.io/service-account-token' };
    const answers = [
      await operator.attempt(
        'POST',
        SECRETS,
        secret('ipam-keys', { ...token, metadata: { name: 'ipam-keys', annotations } }),
      ),
      await operator.attempt('POST', SECRETS, secret('ipam-other')),
      await operator.attempt('POST', SECRETS, secret('', { metadata: { generateName: 'ipam-keys' } })),
      await operator.attempt(
        'POST',
        SECRETS,
        secret('default', { metadata: { name: 'default', ownerReferences: [nobody] } }),
      ),
      await operator.attempt('POST', '/api/v1/namespaces/default/secrets', secret('ipam-keys')),
      await operator.attempt('DELETE', `${SECRETS}/theirs`),
    ];
    expect(answers.map(({ status, body }) => [status, isGuarded(body.message)])).toEqual(
      answers.map(() => [403, true]),
    );
  });

  test('writes what is its own: condition and keys, beside whatever others have, and its Secrets', async () => {
    const { client } = plane();
    await client.request('PATCH', STATUS, { status: { conditions: [foreign] } }, 'merge');
    const keys = { [IPAM.zone]: 'inet', [METALLB.pool]: 'inet', [METALLB.addresses]: '83.118.168.7' };
    await operator.request('PATCH', STATUS, { metadata: { annotations: keys } }, 'merge');
    const applied = await operator.request('PATCH', STATUS, { status: { conditions: [foreign, ours] } }, 'merge');
    await operator.request('PATCH', STATUS, { metadata: { annotations: { [METALLB.addresses]: null } } }, 'merge');
    const gone = await operator.request('PATCH', STATUS, { status: { conditions: [foreign] } }, 'merge');
    for (const name of ['ipam-keys', 'default', 'ipam-cluster-identity'])
      await operator.request('POST', SECRETS, secret(name));

    expect(applied.status?.['conditions']).toHaveLength(2);
    expect(gone.metadata.annotations).toEqual({ theirs: 'kept', [IPAM.zone]: 'inet', [METALLB.pool]: 'inet' });
  });

  test('writes to a Service with 12,000 annotations, too', async () => {
    await plane().client.request('PATCH', `${SERVICES}/web`, { metadata: { annotations: many } }, 'merge');
    const { status, body } = await operator.attempt(
      'PATCH',
      STATUS,
      { metadata: { annotations: { [IPAM.zone]: 'lan' } } },
      'merge',
    );
    expect([status, body.message]).toEqual([200, undefined]);
  });
});
