import type { ApiAnswer, ApiRequest } from '../../../../operator/cluster/api/api-client';
import { openClusterObjects } from '../../../../operator/cluster/objects/kubernetes-objects';
import { ManualClock } from '../../../support/manual-clock';
import { MemoryApiClient, refusedWith } from '../../../support/memory-api-client';
import { RecordedLogger } from '../../../support/recorded-telemetry';

const POOLS = '/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools';

function world(answer?: (request: ApiRequest) => ApiAnswer) {
  const client = new MemoryApiClient();
  if (answer !== undefined) client.intercept = answer;
  const kind = {
    apiVersion: 'metallb.io/v1beta1',
    kind: 'IPAddressPool',
    resource: 'ipaddresspools',
    namespace: 'metallb-system',
  };
  const objects = openClusterObjects(client, kind, { clock: new ManualClock(), logger: new RecordedLogger() });
  return { client, objects };
}

const said = (body: Record<string, unknown>): ApiAnswer => ({ ok: true, status: 200, body });
const code = async (refused: Promise<{ ok: boolean }>) => (await refused) as { refusal?: { code: string } };

describe('openClusterObjects', () => {
  test('lists the objects of its namespace', async () => {
    const { objects } = world(() => said({ items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }] }));

    await expect(objects.list()).resolves.toEqual([{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }]);
  });

  test.each([
    [{}, { fieldManager: 'ipam-operator' }],
    [{ takeOver: true }, { fieldManager: 'ipam-operator', force: 'true' }],
  ])('applies under our manager with options %j', async (options, query) => {
    const { client, objects } = world(() => said({ metadata: { name: 'inet' } }));
    const applied = await objects.apply({ metadata: { name: 'inet' }, spec: { autoAssign: false } }, options);

    expect(applied).toEqual({ ok: true, value: { metadata: { name: 'inet' } } });
    expect(client.requests).toEqual([
      {
        method: 'PATCH',
        path: `${POOLS}/inet`,
        query,
        contentType: 'application/apply-patch+yaml',
        body: {
          apiVersion: 'metallb.io/v1beta1',
          kind: 'IPAddressPool',
          metadata: { name: 'inet' },
          spec: { autoAssign: false },
        },
      },
    ]);
  });

  test('deletes what it was told to, and nothing that took its place', async () => {
    const { client, objects } = world(() => said({}));
    await objects.delete('inet', { uid: 'u', resourceVersion: '7' });

    expect(client.requests).toEqual([
      {
        method: 'DELETE',
        path: `${POOLS}/inet`,
        body: { preconditions: { uid: 'u', resourceVersion: '7' } },
      },
    ]);
  });

  test('counts an object that is gone as deleted', async () => {
    const { objects } = world(() => refusedWith(404, 'NotFound'));

    await expect(objects.delete('inet')).resolves.toEqual({ ok: true, value: undefined });
  });

  test.each([
    [409, 'Conflict', 'store/conflict'],
    [422, 'Invalid', 'cluster/refused'],
    [403, 'Forbidden', 'cluster/refused'],
    [400, 'BadRequest', 'cluster/refused'],
  ])('answers %i of a write with a refusal that says what the API server said', async (status, reason, expected) => {
    const { objects } = world(() => refusedWith(status, reason, 'conflict with "kubectl": .spec.addresses'));
    const refusal = { code: expected, message: 'conflict with "kubectl": .spec.addresses' };

    expect((await code(objects.apply({ metadata: { name: 'inet' } }))).refusal).toEqual(refusal);
    expect((await code(objects.delete('inet'))).refusal).toEqual(refusal);
  });

  test('throws when the kind is not installed, and says so', async () => {
    const { objects } = world(() => refusedWith(404, 'NotFound', '404 page not found'));

    for (const call of [() => objects.list(), () => objects.apply({ metadata: { name: 'inet' } })]) {
      await expect(call()).rejects.toMatchObject({
        code: 'cluster/unavailable',
        message: expect.stringContaining('are the CRDs of metallb.io/v1beta1 installed?') as string,
      });
    }
  });
});
