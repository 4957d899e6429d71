import { KubernetesCluster } from '../../../../operator/cluster/objects/kubernetes-cluster';
import type { JsonMap } from '../../../../operator/contract/loose-json';
import { ManualClock } from '../../../support/manual-clock';
import { MemoryApiClient, refusedWith, withoutNamespace } from '../../../support/memory-api-client';

const CIDRS = '/apis/networking.k8s.io/v1/servicecidrs/kubernetes';
const KUBERNETES = '/api/v1/namespaces/default/services/kubernetes';
const KEYS = '/api/v1/namespaces/ipam-system/secrets/ipam-keys';

let server: MemoryApiClient;
let clock: ManualClock;
let cluster: KubernetesCluster;

beforeEach(() => {
  server = new MemoryApiClient();
  clock = new ManualClock();
  cluster = new KubernetesCluster({ client: server, clock });
});

function service(name: string, spec: JsonMap = {}, annotations?: JsonMap): void {
  const metadata = {
    namespace: 'shop',
    name,
    uid: `uid of ${name}`,
    ...(annotations === undefined ? {} : { annotations }),
  };
  server.put(`/api/v1/namespaces/shop/services/${name}`, { metadata, spec: { type: 'ClusterIP', ...spec } });
}

describe('KubernetesCluster.clusterUid', () => {
  test('is the UID of namespace "kube-system", read once', async () => {
    server.put('/api/v1/namespaces/kube-system', { metadata: { name: 'kube-system', uid: 'c1' } });
    expect([await cluster.clusterUid(), await cluster.clusterUid()]).toEqual(['c1', 'c1']);
    expect(server.requests).toHaveLength(1);
  });

  test('is asked for again after a failure', async () => {
    await expect(cluster.clusterUid()).rejects.toMatchObject({ code: 'cluster/unavailable' });
    server.put('/api/v1/namespaces/kube-system', { metadata: { name: 'kube-system', uid: 'c1' } });
    await expect(cluster.clusterUid()).resolves.toBe('c1');
  });
});

describe('KubernetesCluster.families', () => {
  test.each([
    [['10.96.0.0/16'], [4]],
    [['fd00:96::/112'], [6]],
    [
      ['10.96.0.0/16', 'fd00:96::/112'],
      [4, 6],
    ],
    [
      ['fd00:96::/112', '10.96.0.0/16'],
      [6, 4],
    ],
  ])('reads %j as %j, the primary one first', async (cidrs, families) => {
    server.put(CIDRS, { spec: { cidrs } });
    expect(await cluster.families()).toEqual(families);
    expect(await cluster.families()).toEqual(families);
    expect(server.calls('GET')).toEqual([CIDRS]);
  });

  test('sees within ten minutes that the cluster became dual-stack', async () => {
    server.put(CIDRS, { spec: { cidrs: ['10.96.0.0/16'] } });
    expect(await cluster.families()).toEqual([4]);
    server.put(CIDRS, { spec: { cidrs: ['10.96.0.0/16', 'fd00:96::/112'] } });
    clock.advance(599_999);
    expect(await cluster.families()).toEqual([4]);
    clock.advance(1);
    expect(await cluster.families()).toEqual([4, 6]);
  });

  test('keeps what it knows while it cannot be read again, and asks seldom', async () => {
    server.put(CIDRS, { spec: { cidrs: ['10.96.0.0/16'] } });
    await cluster.families();
    clock.advance(600_000);
    server.intercept = () => refusedWith(403, 'Forbidden', 'no right');
    expect([await cluster.families(), await cluster.families()]).toEqual([[4], [4]]);
    expect(server.requests).toHaveLength(2);
    clock.advance(30_000);
    await cluster.families();
    expect(server.requests).toHaveLength(3);
  });

  test('takes the families of Service "kubernetes" and of all others where no ServiceCIDR exists', async () => {
    server.put(KUBERNETES, { metadata: { namespace: 'default', name: 'kubernetes' }, spec: { ipFamilies: ['IPv6'] } });
    expect(await cluster.families()).toEqual([6]);
    service('dual', { ipFamilies: ['IPv4', 'IPv6'] });
    clock.advance(600_000);
    expect(await cluster.families()).toEqual([6, 4]);
  });

  test('throws when nothing tells them', async () => {
    await expect(cluster.families()).rejects.toMatchObject({
      code: 'cluster/unavailable',
      message:
        'the families of the cluster are not known: it has neither ServiceCIDR "kubernetes" nor Service "default/kubernetes"',
    });
  });
});

describe('KubernetesCluster reads', () => {
  test('a namespace as it is now', async () => {
    expect(await cluster.namespace('shop')).toBeUndefined();
    server.put('/api/v1/namespaces/shop', { metadata: { name: 'shop', uid: 'n1', labels: { team: 'a' } } });
    expect(await cluster.namespace('shop')).toEqual({ name: 'shop', uid: 'n1', labels: { team: 'a' } });
  });

  test('a Secret with decoded values', async () => {
    const data = { secret: Buffer.from('pässword').toString('base64') };
    server.put('/api/v1/namespaces/shop/secrets/mine', { type: 'Opaque', data });
    expect(await cluster.secret('shop', 'mine')).toEqual({ type: 'Opaque', data: { secret: 'pässword' } });
    expect(await cluster.secret('shop', 'other')).toBeUndefined();
  });

  test('a Secret without values', async () => {
    server.put('/api/v1/namespaces/shop/secrets/mine', { type: 'kubernetes.io/tls' });
    expect(await cluster.secret('shop', 'mine')).toEqual({ type: 'kubernetes.io/tls', data: {} });
  });

  test('a Service as it is stored', async () => {
    service('web');
    expect(await cluster.service('shop', 'web')).toBe(server.get('/api/v1/namespaces/shop/services/web'));
    expect(await cluster.service('shop', 'other')).toBeUndefined();
  });

  test.each(['', '..', '.', 'a/b', '../kube-system', 'UPPER', '-a', 'x'.repeat(254), 'a?b'])(
    'nothing of the name %j, which no object has',
    async (name) => {
      expect(await cluster.namespace(name)).toBeUndefined();
      expect(await cluster.secret('shop', name)).toBeUndefined();
      expect(await cluster.secret(name, 'secret')).toBeUndefined();
      expect(await cluster.service('shop', name)).toBeUndefined();
      expect(server.requests).toEqual([]);
    },
  );

  test('tell why the API server refuses them', async () => {
    server.intercept = () => refusedWith(403, 'Forbidden', 'secrets "mine" is forbidden');
    await expect(cluster.secret('shop', 'mine')).rejects.toMatchObject({
      code: 'cluster/unavailable',
      message: 'the API server refused to read Secret "shop/mine": secrets "mine" is forbidden',
    });
  });
});

describe('KubernetesCluster.ensureSecret', () => {
  test('makes an immutable Opaque Secret', async () => {
    const made = await cluster.ensureSecret('ipam-system', 'ipam-keys', { key: 'value' });
    expect(made).toEqual({ type: 'Opaque', data: { key: 'value' } });
    expect(server.get(KEYS)).toMatchObject({
      kind: 'Secret',
      type: 'Opaque',
      immutable: true,
      data: { key: 'dmFsdWU=' },
    });
  });

  test('returns what is there already', async () => {
    await cluster.ensureSecret('ipam-system', 'ipam-keys', { key: 'first' });
    expect(await cluster.ensureSecret('ipam-system', 'ipam-keys', { key: 'second' })).toMatchObject({
      data: { key: 'first' },
    });
    expect(server.calls('POST')).toHaveLength(1);
  });

  test('gives all who make one at the same time the same', async () => {
    const secrets = await Promise.all(
      ['a', 'b', 'c'].map((key) => cluster.ensureSecret('ipam-system', 'ipam-keys', { key })),
    );
    expect(new Set(secrets.map(({ data }) => data['key'])).size).toBe(1);
    expect(server.calls('POST')).toHaveLength(3);
  });

  test('never shows the secret in an error, even when the API server quotes it', async () => {
    server.intercept = ({ method }) =>
      method === 'POST' ? refusedWith(422, 'Invalid', 'dmFsdWU= is not nice') : undefined;
    await expect(cluster.ensureSecret('ipam-system', 'ipam-keys', { key: 'value' })).rejects.toMatchObject({
      code: 'cluster/unavailable',
      message: 'the API server refused to create Secret "ipam-system/ipam-keys": Invalid (status 422)',
    });
  });

  test('FU-70 names the namespace that is not there', async () => {
    server.intercept = ({ method }) => (method === 'POST' ? withoutNamespace('ipam-system') : undefined);
    await expect(cluster.ensureSecret('ipam-system', 'ipam-keys', { key: 'value' })).rejects.toMatchObject({
      message:
        'the API server refused to create Secret "ipam-system/ipam-keys": namespace "ipam-system" does not exist; create it, or name the one of the operator by --namespace',
    });
  });

  test('gives up on a Secret that comes and goes', async () => {
    server.intercept = ({ method }) =>
      refusedWith(method === 'POST' ? 409 : 404, method === 'POST' ? 'AlreadyExists' : 'NotFound');
    await expect(cluster.ensureSecret('ipam-system', 'ipam-keys', {})).rejects.toMatchObject({
      code: 'cluster/unavailable',
    });
    expect(server.calls('POST')).toHaveLength(3);
  });
});

describe('KubernetesCluster.services', () => {
  test('lists every Service of all pages', async () => {
    for (let at = 0; at < 1100; at++) service(`s${at}`);
    const services = await cluster.services();
    expect(services).toHaveLength(1100);
    expect(server.requests.map(({ query }) => query)).toEqual([
      { limit: '500' },
      { limit: '500', continue: '500' },
      { limit: '500', continue: '1000' },
    ]);
  });

  test('tells what the sweep needs of each', async () => {
    service('a', { type: 'LoadBalancer', loadBalancerIP: '192.0.2.1' }, { 'ipam.vitistack.io/zone': 'inet' });
    service('b');
    expect(await cluster.services()).toMatchObject([
      {
        namespace: 'shop',
        name: 'a',
        uid: 'uid of a',
        type: 'LoadBalancer',
        loadBalancerIP: '192.0.2.1',
        annotations: { 'ipam.vitistack.io/zone': 'inet' },
      },
      { namespace: 'shop', name: 'b', uid: 'uid of b', type: 'ClusterIP', annotations: {} },
    ]);
  });

  test('begins anew when the pages expire, and never returns a part', async () => {
    for (let at = 0; at < 600; at++) service(`s${at}`);
    let expired = 1;
    server.intercept = ({ query }) =>
      query?.['continue'] !== undefined && expired-- > 0 ? refusedWith(410, 'Expired') : undefined;
    expect(await cluster.services()).toHaveLength(600);
    expired = 99;
    await expect(cluster.services()).rejects.toMatchObject({ code: 'cluster/unavailable' });
  });

  test('throws when a page is refused', async () => {
    for (let at = 0; at < 600; at++) service(`s${at}`);
    server.intercept = ({ query }) =>
      query?.['continue'] === undefined ? undefined : refusedWith(500, 'InternalError', 'etcd');
    await expect(cluster.services()).rejects.toMatchObject({
      code: 'cluster/unavailable',
      message: 'the API server refused to list Services: etcd',
    });
  });
});
