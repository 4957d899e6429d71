import { useControlPlane } from './support/use-control-plane';

const plane = useControlPlane();

describe('the control plane of the tests', () => {
  test('gives a dual-stack Service two cluster IPs', async () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'both' },
      spec: { ipFamilyPolicy: 'RequireDualStack', ports: [{ port: 80 }] },
    };
    const [answer] = await plane().client.apply([service]);

    expect(answer?.body.spec?.['clusterIPs']).toEqual([
      expect.stringMatching(/^10\.96\./),
      expect.stringMatching(/^fd00:96::/),
    ]);
  });

  test('finishes the deletion of a namespace', async () => {
    const { client } = plane();
    await client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'short' } }]);
    await client.request('DELETE', '/api/v1/namespaces/short');

    expect(await client.watchUntil('/api/v1/namespaces/short', (all) => all.length === 0)).toEqual([]);
  });

  test('is reached by kubectl', async () => {
    expect(await plane().kubectl('get', '--raw', '/readyz')).toBe('ok');
  });
});
