import { MemoryCluster } from '../../../../operator/backends/memory/memory-cluster';

describe('MemoryCluster', () => {
  test('makes a namespace on first mention and keeps its UID', async () => {
    const cluster = new MemoryCluster();
    const first = await cluster.namespace('a');
    cluster.putNamespace('a', { tenant: 'x' });
    const again = await cluster.namespace('a');

    expect(again?.uid).toBe(first?.uid);
    expect(again?.labels).toEqual({ 'kubernetes.io/metadata.name': 'a', tenant: 'x' });
    expect((await cluster.namespace('b'))?.uid).not.toBe(first?.uid);
    expect(await cluster.namespace('')).toBeUndefined();
  });

  test('has one UID of its own and the families it was given', async () => {
    const cluster = new MemoryCluster({ families: [6, 4] });

    expect(await cluster.clusterUid()).toBe(await cluster.clusterUid());
    expect(await cluster.families()).toEqual([6, 4]);
    expect(await new MemoryCluster().families()).toEqual([4]);
  });

  test('keeps the Secret that exists', async () => {
    const cluster = new MemoryCluster();
    const first = await cluster.ensureSecret('a', 's', { secret: 'one' });

    expect(await cluster.ensureSecret('a', 's', { secret: 'two' })).toBe(first);
    expect(await cluster.secret('a', 's')).toEqual({ type: 'Opaque', data: { secret: 'one' } });
    expect(await cluster.secret('a', 't')).toBeUndefined();
  });

  test('lists the stored Services', async () => {
    const cluster = new MemoryCluster();
    const web = { namespace: 'a', name: 'web', uid: 'u', annotations: {}, type: 'LoadBalancer' };
    cluster.putService(web);
    expect(await cluster.services()).toMatchObject([web]);
    cluster.deleteService('a', 'web');
    expect(await cluster.services()).toEqual([]);
  });
});
