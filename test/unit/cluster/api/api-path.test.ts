import { apiPath, type ResourcePath } from '../../../../operator/cluster/api/api-path';

describe('apiPath', () => {
  test.each<readonly [string, ResourcePath]>([
    ['/api/v1/services', { apiVersion: 'v1', resource: 'services' }],
    ['/api/v1/namespaces/a', { apiVersion: 'v1', resource: 'namespaces', name: 'a' }],
    [
      '/api/v1/namespaces/a/services/s/status',
      { apiVersion: 'v1', resource: 'services', namespace: 'a', name: 's', subresource: 'status' },
    ],
    [
      '/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools',
      { apiVersion: 'metallb.io/v1beta1', resource: 'ipaddresspools', namespace: 'metallb-system' },
    ],
    [
      '/api/v1/namespaces/a%2Fb/secrets/c%3Fd%20%C3%BC',
      { apiVersion: 'v1', resource: 'secrets', namespace: 'a/b', name: 'c?d ü' },
    ],
  ])('writes %s', (path, parts) => {
    expect(apiPath(parts)).toBe(path);
  });

  test.each<readonly [string, Partial<ResourcePath>]>([
    ['an empty name', { name: '' }],
    ['a name that climbs', { name: '..' }],
    ['an empty namespace', { namespace: '' }],
    ['a subresource of nothing', { subresource: 'status' }],
    ['an empty group', { apiVersion: '/v1' }],
  ])('refuses %s', (_case, parts) => {
    expect(() => apiPath({ apiVersion: 'v1', resource: 'services', ...parts })).toThrow(
      expect.objectContaining({ code: 'internal' }) as Error,
    );
  });
});
