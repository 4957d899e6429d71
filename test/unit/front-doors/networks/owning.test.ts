import { listOf, metadataOf, textOf, type JsonMap } from '../../../../operator/contract/loose-json';
import { NetworksWorld } from '../../../support/networks-world';

let world: NetworksWorld;

beforeEach(() => {
  world = new NetworksWorld();
  world.kinds('/api/v1', [
    { kind: 'Service', name: 'services', namespaced: true },
    { kind: 'Secret', name: 'secrets', namespaced: true },
    { kind: 'Node', name: 'nodes', namespaced: false },
  ]);
  world.f2();
});

afterEach(() => world.close());

const SERVICE = { apiVersion: 'v1', kind: 'Service', name: 'web' };
const service = (): void => {
  world.server.put('/api/v1/namespaces/default/services/web', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'default', name: 'web', uid: 'uid-web' },
  });
};
const owners = (name: string) => listOf(metadataOf(world.stored('allocation', name))['ownerReferences']);
const owned = (name: string): JsonMap | undefined => world.condition('allocation', name, 'Owned');
const reason = (name: string): string => textOf(owned(name)?.['reason']);

test('an IPAllocation has the object of its ownerRef as an owner, with the UID that it has', async () => {
  service();
  world.allocation('a', { ownerRef: SERVICE });
  await world.open();
  await world.ready('allocation', 'a', '10.0.1.2/32');
  expect(owners('a')).toEqual([{ ...SERVICE, uid: 'uid-web' }]);
  expect(owned('a')).toMatchObject({ status: 'True', reason: 'Owned', message: 'ends with Service web' });
});

test('owners of others stay beside it', async () => {
  service();
  const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'uid-c' };
  world.allocation('a', { ownerRef: SERVICE }, { ownerReferences: [other] });
  await world.open();
  await world.ready('allocation', 'a');
  expect(owners('a')).toEqual([other, { ...SERVICE, uid: 'uid-web' }]);
});

test('an owner that is missing is a condition, and the allocation is served all the same', async () => {
  world.allocation('a', { ownerRef: SERVICE });
  await world.open();
  await world.ready('allocation', 'a', '10.0.1.2/32');
  expect(owned('a')).toMatchObject({ status: 'False', reason: 'OwnerMissing' });
  expect(owners('a')).toEqual([]);
  service();
  world.change('allocation', 'a', { metadata: { labels: { any: 'change' } } });
  await world.until('it has its owner', () => reason('a') === 'Owned');
  expect(owners('a')).toHaveLength(1);
});

test.each([
  ['of a kind that the operator may not read', { apiVersion: 'v1', kind: 'Secret', name: 's' }, 'OwnerKindNotAllowed'],
  ['of a kind without namespaces', { apiVersion: 'v1', kind: 'Node', name: 'n' }, 'OwnerKindUnknown'],
  [
    'of a group that may not be read',
    { apiVersion: 'x.example/v1', kind: 'Service', name: 's' },
    'OwnerKindNotAllowed',
  ],
  ['of a version that is not there', { apiVersion: 'v2', kind: 'Service', name: 's' }, 'OwnerKindUnknown'],
  ['with a version that is no part of a path', { apiVersion: '../v1', kind: 'Service', name: 's' }, 'OwnerKindUnknown'],
])('an owner %s is told, and nothing is read or written for it', async (_what, ownerRef, why) => {
  world.allocation('a', { ownerRef });
  await world.open();
  await world.ready('allocation', 'a');
  expect(reason('a')).toBe(why);
  expect(owners('a')).toEqual([]);
  expect(world.server.calls('GET').filter((path) => /\/(secrets|nodes)\/|x\.example/u.test(path))).toEqual([]);
});

test('an API server that does not tell the owner keeps no allocation from its address, and is asked again', async () => {
  const others = world.server.intercept;
  let isAway = true;
  world.server.intercept = (request) =>
    isAway && request.path === '/api/v1'
      ? { ok: false, status: 503, reason: 'ServiceUnavailable', message: 'is down', body: {} }
      : others(request);
  service();
  world.allocation('a', { ownerRef: SERVICE });
  await world.open();
  await world.ready('allocation', 'a', '10.0.1.2/32');
  expect(owned('a')).toMatchObject({ status: 'Unknown', reason: 'OwnerUnknown' });
  expect(textOf(owned('a')?.['message'])).toContain('is down');
  const uid = textOf(metadataOf(world.stored('allocation', 'a'))['uid']);
  const key = { of: 'allocation', namespace: 'default', name: 'a', uid } as const;
  expect(await world.latest?.controller.reconcile(key)).toEqual({ requeueAfterMs: 30_000 });
  isAway = false;
  expect(await world.latest?.controller.reconcile(key)).toEqual({});
  await world.until('it has its owner', () => reason('a') === 'Owned');
  expect(owners('a')).toHaveLength(1);
});

test('a refused allocation has the condition about its owner too', async () => {
  world.allocation('a', { ownerRef: SERVICE, prefix: '10.0.1.1/24' });
  await world.open();
  await world.refused('allocation', 'a', 'PrefixInUse');
  expect(reason('a')).toBe('OwnerMissing');
});
