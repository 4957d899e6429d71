import { KubernetesEventRecorder } from '../../../../operator/cluster/objects/event-recorder';
import { KubernetesServiceWriter } from '../../../../operator/cluster/objects/service-writer';
import type { ServiceCondition } from '../../../../operator/ports/service-writer';
import { ManualClock } from '../../../support/manual-clock';
import { MemoryApiClient, refusedWith } from '../../../support/memory-api-client';
import { RecordedLogger } from '../../../support/recorded-telemetry';

const PATH = '/api/v1/namespaces/shop/services/web';
const KEY = { namespace: 'shop', name: 'web', uid: 'u1' };
const CONDITION: ServiceCondition = {
  type: 'ipam.vitistack.io/AddressReady',
  status: 'True' as const,
  reason: 'Ready',
  message: '192.0.2.1',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

let server: MemoryApiClient;
let writer: KubernetesServiceWriter;

beforeEach(() => {
  server = new MemoryApiClient();
  const events = new KubernetesEventRecorder({
    client: server,
    clock: new ManualClock(),
    logger: new RecordedLogger(),
    identity: 'p',
  });
  writer = new KubernetesServiceWriter({ client: server, events });
  server.put(PATH, {
    metadata: { ...KEY, annotations: { keep: '1', drop: '2' }, finalizers: ['old/a', 'foreign/b', 'old/c'] },
  });
});

const GONE = {
  ok: false,
  refusal: { code: 'claim/not-found', message: 'Service "shop/web" with UID "u1" is no longer stored' },
};

describe('KubernetesServiceWriter', () => {
  test('sets and takes away annotations by one patch of the status, and leaves others', async () => {
    expect(await writer.annotate(KEY, { drop: null, made: 'x' })).toEqual({ ok: true, value: undefined });
    expect(server.get(PATH)).toMatchObject({ metadata: { annotations: { keep: '1', made: 'x' } } });
    expect(server.get(PATH)).not.toHaveProperty('metadata.annotations.drop');
    expect(server.requests).toEqual([
      {
        method: 'PATCH',
        path: `${PATH}/status`,
        query: { fieldManager: 'ipam-operator' },
        contentType: 'application/merge-patch+json',
        body: { metadata: { uid: 'u1', annotations: { drop: null, made: 'x' } } },
      },
    ]);
  });

  test('writes nothing over a version that is not the one it was decided on', async () => {
    expect(await writer.annotate(KEY, { made: 'x' }, { resourceVersion: '0' })).toMatchObject({
      refusal: { code: 'store/conflict', message: 'Service "shop/web" was changed at the same time' },
    });
    expect(await writer.annotate(KEY, { made: 'x' }, { resourceVersion: '1' })).toMatchObject({ ok: true });
  });

  test.each([
    [
      'is gone',
      (): void => {
        server.remove(PATH);
      },
    ],
    [
      'was made anew under its name',
      (): unknown => server.put(PATH, { metadata: { ...KEY, uid: 'u2', finalizers: ['old/a'] } }),
    ],
  ])('writes nothing when the Service %s', async (_what, change) => {
    change();
    const before = server.get(PATH);
    expect(await writer.annotate(KEY, { made: 'x' })).toEqual(GONE);
    expect(await writer.annotate(KEY, { made: 'x' }, { resourceVersion: '1' })).toEqual(GONE);
    expect(await writer.condition(KEY, CONDITION)).toEqual(GONE);
    expect(server.get(PATH)).toBe(before);
  });

  test('hands on why a rule of the cluster refuses a write', async () => {
    server.intercept = ({ method }) =>
      method === 'PATCH' ? refusedWith(422, 'Invalid', 'annotations too long') : undefined;
    expect(await writer.annotate(KEY, { made: 'x' })).toMatchObject({
      refusal: { code: 'cluster/refused', message: 'Service "shop/web" was not written: annotations too long' },
    });
  });

  test('throws when it may not write', async () => {
    server.intercept = () => refusedWith(403, 'Forbidden', 'no right');
    await expect(writer.annotate(KEY, {})).rejects.toMatchObject({
      code: 'cluster/unavailable',
      message: 'the API server refused to write Service "shop/web": no right',
    });
  });

  test('applies its one condition alone, by force, and takes it away by naming none', async () => {
    await writer.condition(KEY, CONDITION);
    expect(server.get(PATH)).toMatchObject({ status: { conditions: [CONDITION] } });
    await writer.condition(KEY, undefined);
    expect(server.get(PATH)).toMatchObject({ status: { conditions: [] } });
    const whole = { apiVersion: 'v1', kind: 'Service', metadata: KEY };
    expect(server.requests.map(({ body }) => body)).toEqual([{ ...whole, status: { conditions: [CONDITION] } }, whole]);
    for (const request of server.requests) {
      expect(request).toMatchObject({
        method: 'PATCH',
        path: `${PATH}/status`,
        contentType: 'application/apply-patch+yaml',
        query: { fieldManager: 'ipam-operator', force: 'true' },
      });
    }
  });

  test('never asks for the right to write the Service itself', async () => {
    await writer.annotate(KEY, { a: 'b' });
    await writer.condition(KEY, CONDITION);
    await writer.event(KEY, { type: 'Normal', reason: 'Ready', message: 'x' });
    const written = server.requests.filter(({ method, path }) => method !== 'GET' && path.includes('/services/'));
    expect(written.map(({ path }) => path)).toEqual(Array(2).fill(`${PATH}/status`));
    expect(server.calls('POST')).toEqual(['/apis/events.k8s.io/v1/namespaces/shop/events']);
  });
});
