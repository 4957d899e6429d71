import type { ApiRequest } from '../../../../operator/cluster/api/api-client';
import { KubernetesEventRecorder } from '../../../../operator/cluster/objects/event-recorder';
import { isMap, textOf, type JsonMap } from '../../../../operator/contract/loose-json';
import { IpamError } from '../../../../operator/errors/ipam-error';
import type { ObjectEvent } from '../../../../operator/ports/event-recorder';
import { ManualClock } from '../../../support/manual-clock';
import { MemoryApiClient, refusedWith } from '../../../support/memory-api-client';
import { RecordedLogger } from '../../../support/recorded-telemetry';
import { settled } from '../../../support/settled';

const EVENTS = '/apis/events.k8s.io/v1/namespaces/shop/events';
const KEY = { apiVersion: 'v1', kind: 'Service', namespace: 'shop', name: 'web', uid: 'u1' };
const WAITS: ObjectEvent = { type: 'Warning', reason: 'PoolExhausted', message: 'zone "inet" is full' };

let server: MemoryApiClient;
let clock: ManualClock;
let logger: RecordedLogger;
let recorder: KubernetesEventRecorder;

beforeEach(() => {
  server = new MemoryApiClient();
  clock = new ManualClock();
  logger = new RecordedLogger();
  recorder = new KubernetesEventRecorder({ client: server, clock, logger, identity: 'ipam-operator-0' });
});

const bodyOf = ({ body }: ApiRequest): JsonMap => (isMap(body) ? body : {});
const written = (): readonly string[] => server.requests.map(({ method }) => method);

describe('KubernetesEventRecorder', () => {
  test('writes an Event about the Service, in its namespace', async () => {
    await recorder.record(KEY, WAITS);
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'POST', path: EVENTS });
    expect(bodyOf(request!)).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      type: 'Warning',
      reason: 'PoolExhausted',
      action: 'Reconcile',
      metadata: { namespace: 'shop', name: expect.stringMatching(/^web\.[0-9a-f]{16}$/u) as string },
      note: 'zone "inet" is full',
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'ipam.vitistack.io/ipam-operator',
      reportingInstance: 'ipam-operator-0',
      regarding: { apiVersion: 'v1', kind: 'Service', namespace: 'shop', name: 'web', uid: 'u1' },
    });
  });

  test('writes an Event about an object of the whole cluster in namespace default, and cuts its long name', async () => {
    const name = `${'n'.repeat(235)}.${'n'.repeat(17)}`;
    const claim = { apiVersion: 'ipam.vitistack.io/v1alpha1', kind: 'AddressClaim', name, uid: 'u9' };
    await recorder.record({ ...claim, namespace: '' }, WAITS);
    await recorder.record({ ...claim, namespace: '' }, WAITS);
    const [first, second] = server.requests;
    expect(first).toMatchObject({ path: '/apis/events.k8s.io/v1/namespaces/default/events' });
    expect(bodyOf(first!)).toMatchObject({
      metadata: { namespace: 'default', name: expect.stringMatching(/^n{235}\.[0-9a-f]{16}$/u) as string },
      regarding: claim,
    });
    expect(bodyOf(first!)['regarding']).not.toHaveProperty('namespace');
    expect(second?.path).toMatch(/^\/apis\/events.k8s.io\/v1\/namespaces\/default\/events\/n/u);
  });

  test('counts equal Events in one object', async () => {
    for (let turn = 0; turn < 3; turn++) {
      await recorder.record(KEY, WAITS);
      clock.advance(60_000);
    }
    expect(written()).toEqual(['POST', 'PATCH', 'PATCH']);
    expect(server.requests[2]).toMatchObject({
      path: `${EVENTS}/${textOf((bodyOf(server.requests[0]!)['metadata'] as JsonMap)['name'])}`,
      contentType: 'application/merge-patch+json',
      body: { series: { count: 3, lastObservedTime: '2026-01-01T00:02:00.000000Z' } },
    });
  });

  test.each([
    ['another Service', { ...KEY, uid: 'u2' }, WAITS],
    ['another reason', KEY, { ...WAITS, reason: 'ZoneQuota' }],
    ['another message', KEY, { ...WAITS, message: 'x' }],
    ['another type', KEY, { ...WAITS, type: 'Normal' as const }],
  ])('makes an object of its own for %s', async (_what, key, event) => {
    await recorder.record(KEY, WAITS);
    await recorder.record(key, event);
    expect(written()).toEqual(['POST', 'POST']);
  });

  test('makes a new object after six quiet minutes', async () => {
    await recorder.record(KEY, WAITS);
    clock.advance(360_000);
    await recorder.record(KEY, WAITS);
    expect(written()).toEqual(['POST', 'POST']);
  });

  test('makes a new object, with the whole count, when the API server has forgotten the old one', async () => {
    await recorder.record(KEY, WAITS);
    server.remove(`${EVENTS}/${textOf((bodyOf(server.requests[0]!)['metadata'] as JsonMap)['name'])}`);
    await recorder.record(KEY, WAITS);
    expect(written()).toEqual(['POST', 'PATCH', 'POST']);
    expect(bodyOf(server.requests[2]!)).toMatchObject({ series: { count: 2 } });
  });

  test('writes once for Events that come while one is written', async () => {
    let goOn: () => void = () => undefined;
    server.intercept = () =>
      new Promise(
        (resolve) =>
          (goOn = () => {
            resolve(undefined);
          }),
      );
    const records = Array.from({ length: 10 }, () => recorder.record(KEY, WAITS));
    server.intercept = () => undefined;
    await settled();
    goOn();
    await Promise.all(records);
    expect(written()).toEqual(['POST', 'PATCH']);
    expect(bodyOf(server.requests[1]!)).toMatchObject({ series: { count: 10 } });
  });

  test('writes no more than 25 Events of one Service, then one in five minutes, which tells the count', async () => {
    for (let turn = 0; turn < 100; turn++) await recorder.record(KEY, WAITS);
    expect(written()).toHaveLength(25);
    await recorder.record({ ...KEY, uid: 'u2' }, WAITS);
    expect(written()).toHaveLength(26);
    clock.advance(300_000);
    for (let turn = 0; turn < 5; turn++) await recorder.record(KEY, WAITS);
    expect(written()).toHaveLength(27);
    expect(bodyOf(server.requests[26]!)).toMatchObject({ series: { count: 101 } });
  });

  test('shortens a long message to what the API server takes, between two characters', async () => {
    await recorder.record(KEY, { ...WAITS, message: 'ä'.repeat(1000) });
    const note = textOf(bodyOf(server.requests[0]!)['note']);
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
    expect(note).toMatch(/^ä{510}…$/u);
  });

  test.each([
    ['a refusal', () => refusedWith(403, 'Forbidden', 'namespace is being terminated'), 'Forbidden'],
    [
      'a broken connection',
      (): never => {
        throw new IpamError('cluster/unavailable', 'no answer');
      },
      'cluster/unavailable',
    ],
    [
      'anything else',
      (): never => {
        throw new TypeError('odd');
      },
      'internal',
    ],
  ])('survives %s, and tries again with the next Event', async (_what, intercept, code) => {
    server.intercept = intercept;
    await recorder.record(KEY, WAITS);
    expect(logger.lines).toEqual([
      {
        level: 'debug',
        message: 'an Event could not be written',
        fields: { service: 'shop/web', reason: 'PoolExhausted', code },
      },
    ]);
    server.intercept = () => undefined;
    await recorder.record(KEY, WAITS);
    expect(bodyOf(server.requests.at(-1)!)).toMatchObject({ series: { count: 2 }, regarding: { uid: 'u1' } });
  });

  test('forgets Services that were quiet the longest, and kinds of Events as well', async () => {
    for (let turn = 0; turn < 40; turn++)
      await recorder.record({ ...KEY, uid: `${turn % 20}` }, { ...WAITS, message: `${turn}` });
    await recorder.record(KEY, WAITS);
    for (let turn = 0; turn < 4096; turn++) await recorder.record({ ...KEY, uid: `other ${turn}` }, WAITS);
    server.requests.length = 0;
    await recorder.record(KEY, WAITS);
    expect(written()).toEqual(['POST']);
    for (let turn = 0; turn < 32; turn++)
      await recorder.record({ ...KEY, uid: 'many' }, { ...WAITS, message: `${turn}` });
    expect(written()).toHaveLength(26);
  });
});
