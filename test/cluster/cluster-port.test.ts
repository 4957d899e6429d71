import { MemoryClaimStore } from '../../operator/backends/memory/memory-claim-store';
import { requireSameKey } from '../../operator/backends/system/hash-key';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import { hashKeySecret } from '../../operator/cluster/objects/hash-key-secret';
import { KubernetesCluster } from '../../operator/cluster/objects/kubernetes-cluster';
import { KEYS_SECRET, OPERATOR_NAMESPACE } from '../../operator/contract/group';
import { openOperatorClient } from './support/operator-client';
import { useControlPlane } from './support/use-control-plane';

let cluster: KubernetesCluster;

const plane = useControlPlane({
  prepare: async (plane) => {
    cluster = new KubernetesCluster({ client: await openOperatorClient(plane), clock: SYSTEM_CLOCK });
  },
});

const keys = { namespace: OPERATOR_NAMESPACE, name: KEYS_SECRET };

describe('KubernetesCluster with the rights of an installation', () => {
  test('knows the cluster and its families', async () => {
    const { metadata } = await plane().client.request('GET', '/api/v1/namespaces/kube-system');
    expect(await cluster.clusterUid()).toBe(metadata.uid);
    expect(await cluster.families()).toEqual([4, 6]);
  });

  test('reads a namespace and a Secret as they are now', async () => {
    const { client } = plane();
    expect([await cluster.namespace('shop'), await cluster.secret('shop', 'mine')]).toEqual([undefined, undefined]);
    await client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }]);
    const stringData = { secret: 'of the shop' };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mine', namespace: 'shop' }, stringData };
    await client.apply([secret]);
    const { metadata } = await client.request('GET', '/api/v1/namespaces/shop');
    expect(await cluster.namespace('shop')).toMatchObject({ name: 'shop', uid: metadata.uid });
    expect(await cluster.secret('shop', 'mine')).toEqual({ type: 'Opaque', data: stringData });
  });

  test('gives operators that start at once one immutable key, and refuses to start when it was lost', async () => {
    const store = new MemoryClaimStore(SYSTEM_CLOCK);
    const hashers = await Promise.all([1, 2, 3].map(() => requireSameKey(store, hashKeySecret(cluster, keys))));
    expect(new Set(hashers.map(({ fingerprint }) => fingerprint)).size).toBe(1);
    const path = `/api/v1/namespaces/${OPERATOR_NAMESPACE}/secrets/${KEYS_SECRET}`;
    const change = await plane().client.attempt('PATCH', path, { data: { key: 'eA==' } }, 'merge');
    expect(change).toMatchObject({ status: 422 });
    await expect(
      requireSameKey(new MemoryClaimStore(SYSTEM_CLOCK), hashKeySecret(cluster, keys), {
        store: '/data/ipam.sqlite',
        others: [],
      }),
    ).rejects.toMatchObject({
      code: 'store/lost',
      message: expect.stringContaining(
        'or remove the Secret "ipam-keys" of namespace "ipam-system" to begin',
      ) as string,
    });
  });

  test('lists all Services over several pages, and reads one', async () => {
    const { client } = plane();
    const names = Array.from({ length: 620 }, (_, at) => `s${at}`);
    const make = (name: string): Promise<unknown> =>
      client.request('POST', '/api/v1/namespaces/default/services', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name, annotations: { 'example.com/a': name } },
        spec: { clusterIP: 'None', ports: [{ port: 80 }] },
      });
    while (names.length > 0) await Promise.all(names.splice(0, 20).map(make));
    const services = await cluster.services();
    expect(services).toHaveLength(621); // and "kubernetes"
    const { metadata } = await client.request('GET', '/api/v1/namespaces/default/services/s619');
    expect(services.find(({ name }) => name === 's619')).toMatchObject({
      namespace: 'default',
      name: 's619',
      uid: metadata.uid,
      type: 'ClusterIP',
      annotations: { 'example.com/a': 's619' },
    });
    expect(await cluster.service('default', 's619')).toMatchObject({ metadata: { uid: metadata.uid } });
    expect(await cluster.service('default', 'none')).toBeUndefined();
  });
});
