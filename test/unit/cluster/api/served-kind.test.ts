import { isServedKind } from '../../../../operator/cluster/api/served-kind';
import { MemoryApiClient, refusedWith } from '../../../support/memory-api-client';

const KIND = { apiVersion: 'metallb.io/v1beta1', resource: 'ipaddresspools' };

describe('isServedKind', () => {
  test('FU-14 asks discovery, which needs no right on the kind', async () => {
    const server = new MemoryApiClient();
    server.put('/apis/metallb.io/v1beta1', { resources: [{ name: 'bgppeers' }, { name: 'ipaddresspools' }] });
    expect(await isServedKind(server, KIND)).toBe(true);
    server.put('/apis/metallb.io/v1beta1', { resources: [{ name: 'bgppeers' }] });
    expect(await isServedKind(server, KIND)).toBe(false);
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /apis/metallb.io/v1beta1',
      'GET /apis/metallb.io/v1beta1',
    ]);
  });

  test('FU-14 takes 404 for a kind that is not installed, and nothing else', async () => {
    const server = new MemoryApiClient();
    server.intercept = () => refusedWith(404, 'NotFound');
    expect(await isServedKind(server, KIND)).toBe(false);
    server.intercept = () => refusedWith(403, 'Forbidden');
    await expect(isServedKind(server, KIND)).rejects.toMatchObject({ code: 'cluster/unavailable' });
  });
});
