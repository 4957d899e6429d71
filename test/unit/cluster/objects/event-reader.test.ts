import { KubernetesEventReader } from '../../../../operator/cluster/objects/event-reader';
import { IpamError } from '../../../../operator/errors/ipam-error';
import { MemoryApiClient, refusedWith } from '../../../support/memory-api-client';
import { RecordedLogger } from '../../../support/recorded-telemetry';

const KEY = { namespace: 'shop', name: 'web', uid: 'u1' };
const WANTED = { reason: 'AllocationFailed', reporter: 'metallb-controller' };

/** As the older API stores it: the newer fields are empty, or repeat the component. */
const old = (note: string, time: string, component = 'metallb-controller') => ({
  note,
  eventTime: null,
  deprecatedLastTimestamp: time,
  deprecatedSource: { component },
  metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
});

function reading(...items: readonly object[]): { server: MemoryApiClient; reader: KubernetesEventReader } {
  const server = new MemoryApiClient();
  server.intercept = () => ({ ok: true, status: 200, body: { items: [...items] as never } });
  return { server, reader: new KubernetesEventReader({ client: server, logger: new RecordedLogger() }) };
}

describe('KubernetesEventReader', () => {
  test('asks for the Events of one object and reason, in its namespace', async () => {
    const { server, reader } = reading();
    expect(await reader.newest(KEY, WANTED)).toBeUndefined();
    expect(server.requests).toMatchObject([
      {
        method: 'GET',
        path: '/apis/events.k8s.io/v1/namespaces/shop/events',
        query: { fieldSelector: 'regarding.uid=u1,reason=AllocationFailed' },
      },
    ]);
  });

  test('gives the newest of the program, however its time is told', async () => {
    const { reader } = reading(
      old('older', '2026-01-01T01:00:00Z'),
      {
        note: 'newest',
        eventTime: '2026-01-01T00:30:00.000000Z',
        reportingController: 'metallb-controller',
        series: { count: 3, lastObservedTime: '2026-01-01T02:00:00.000000Z' },
      },
      old('forged', '2026-01-01T03:00:00Z', 'another'),
      { note: 'single', eventTime: '2026-01-01T01:30:00.000000Z', reportingController: 'metallb-controller' },
    );
    expect(await reader.newest(KEY, WANTED)).toEqual({ message: 'newest', time: '2026-01-01T02:00:00.000000Z' });
  });

  test.each<[string, (server: MemoryApiClient) => void]>([
    ['forbidden', (server) => (server.intercept = () => refusedWith(403, 'Forbidden'))],
    ['away', (server) => (server.intercept = () => Promise.reject(new IpamError('cluster/unavailable', 'away')))],
  ])('has none where the API server is %s', async (_what, breakIt) => {
    const { server, reader } = reading(old('hidden', '2026-01-01T01:00:00Z'));
    breakIt(server);
    expect(await reader.newest(KEY, WANTED)).toBeUndefined();
  });
});
