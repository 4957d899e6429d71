import { openNamespaceFeed } from '../../../../operator/cluster/watch/namespace-feed';
import type { ApiClient, ApiRequest } from '../../../../operator/cluster/api/api-client';
import type { JsonMap } from '../../../../operator/contract/loose-json';
import type { RelabelledNamespace } from '../../../../operator/ports/namespace-feed';
import { ManualClock } from '../../../support/manual-clock';
import { RecordedLogger } from '../../../support/recorded-telemetry';
import { settled } from '../../../support/settled';

const namespace = (name: string, version: number, labels?: Record<string, string>): JsonMap => ({
  metadata: { name, uid: `uid-${name}`, resourceVersion: String(version), labels, annotations: { long: 'text' } },
  status: { phase: 'Active' },
});

/** An API server that lists what it is given and watches what is pushed. */
function server(items: readonly JsonMap[]) {
  const paths: string[] = [];
  let push: (event: JsonMap) => void = () => undefined;
  async function* events(signal?: AbortSignal): AsyncGenerator<JsonMap> {
    for (;;) {
      const next = await new Promise<JsonMap | undefined>((resolve) => {
        push = resolve;
        signal?.addEventListener('abort', () => {
          resolve(undefined);
        });
      });
      if (next === undefined) return;
      yield next;
    }
  }
  const client = {
    request: ({ path }: ApiRequest) => {
      paths.push(path);
      return Promise.resolve({ ok: true, status: 200, body: { metadata: { resourceVersion: '1' }, items } });
    },
    stream: ({ signal }: ApiRequest & { signal?: AbortSignal }) => Promise.resolve(events(signal)),
  };
  return {
    client: client as unknown as ApiClient,
    paths,
    push: async (event: JsonMap): Promise<void> => {
      push(event);
      await settled();
    },
  };
}

describe('openNamespaceFeed', () => {
  test('keeps what identifies a namespace, its labels, and that it is being deleted', async () => {
    const api = server([namespace('a', 1, { tenant: 'red' })]);
    const feed = openNamespaceFeed(api.client, { clock: new ManualClock(), logger: new RecordedLogger() });
    await settled();
    const kept = { name: 'a', uid: 'uid-a', resourceVersion: '1', labels: { tenant: 'red' } };
    expect(feed.objects.get('', 'a')).toEqual({ metadata: kept });
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const { metadata, ...rest } = namespace('a', 2, { tenant: 'red' });
    await api.push({
      type: 'MODIFIED',
      object: { ...rest, metadata: { ...(metadata as JsonMap), deletionTimestamp } },
    });
    expect(feed.objects.get('', 'a')).toEqual({ metadata: { ...kept, resourceVersion: '2', deletionTimestamp } });
    await feed.close();
  });

  test('tells of changed labels alone, of namespaces that stay', async () => {
    const api = server([namespace('a', 1, { tenant: 'red' }), namespace('b', 1)]);
    const feed = openNamespaceFeed(api.client, { clock: new ManualClock(), logger: new RecordedLogger() });
    const told: RelabelledNamespace[] = [];
    feed.onRelabelled((change) => told.push(change));
    await settled();
    expect(api.paths).toEqual(['/api/v1/namespaces']);
    await api.push({ type: 'MODIFIED', object: namespace('a', 2, { tenant: 'red' }) });
    await api.push({ type: 'ADDED', object: namespace('c', 3, { tenant: 'red' }) });
    await api.push({ type: 'DELETED', object: namespace('b', 4) });
    expect(told).toEqual([]);
    await api.push({ type: 'MODIFIED', object: namespace('a', 5, { tenant: 'blue' }) });
    await api.push({ type: 'MODIFIED', object: namespace('a', 6) });
    expect(told).toEqual([
      { name: 'a', before: { tenant: 'red' }, after: { tenant: 'blue' } },
      { name: 'a', before: { tenant: 'blue' }, after: {} },
    ]);
    await feed.close();
  });
});
