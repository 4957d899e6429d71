import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import type { ApiClient, ApiRequest } from '../../operator/cluster/api/api-client';
import { openKubeClient } from '../../operator/cluster/api/kube-client';
import { PAGE_LIMIT } from '../../operator/cluster/watch/listing';
import {
  openObjectFeed,
  type FeedSource,
  type FeedTools,
  type WatchedObjects,
} from '../../operator/cluster/watch/object-feed';
import { openServiceFeed } from '../../operator/cluster/watch/service-feed';
import { IpamError } from '../../operator/errors/ipam-error';
import { Heard } from '../support/heard-changes';
import { RecordedLogger, RecordedMeter } from '../support/recorded-telemetry';
import type { Manifest } from './support/cluster-client';
import { eventually } from './support/eventually';
import { useControlPlane } from './support/use-control-plane';

const SERVICES = '/api/v1/namespaces/watched/services';
const MAPS: FeedSource = { resource: { apiVersion: 'v1', resource: 'configmaps', namespace: 'pages' } };

const namespace = (name: string): Manifest => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const service = (name: string, port = 80): Manifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'watched', annotations: { 'ipam.vitistack.io/zone': 'a', other: 'x' } },
  spec: { ports: [{ port }] },
});

let api: ApiClient;
const plane = useControlPlane({
  prepare: async ({ client, kubeconfig, onStop }) => {
    await client.apply([namespace('watched'), namespace('pages')]);
    api = await openKubeClient({ kubeconfig, clock: SYSTEM_CLOCK, logger: new RecordedLogger() });
    onStop(() => api.close());
  },
});

/** The client of a process whose watches can be cut, and end after seconds instead of minutes. */
class Line implements ApiClient {
  readonly sent: ApiRequest[] = [];
  watchSeconds = '300';
  #cut: AbortController | undefined;
  #broken = new AbortController();

  request(request: ApiRequest): ReturnType<ApiClient['request']> {
    this.sent.push(request);
    return api.request(request);
  }

  stream(request: ApiRequest): ReturnType<ApiClient['stream']> {
    this.sent.push(request);
    if (this.#cut !== undefined) return Promise.reject(new IpamError('cluster/unavailable', 'the line is cut'));
    const query = { ...request.query, timeoutSeconds: this.watchSeconds };
    const signals = [this.#broken.signal, ...(request.signal === undefined ? [] : [request.signal])];
    return api.stream({ ...request, query, signal: AbortSignal.any(signals) });
  }

  cut(): void {
    this.#cut = this.#broken;
    this.#broken.abort();
  }

  mend(): void {
    this.#cut = undefined;
    this.#broken = new AbortController();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Versions from which watches were asked for. */
  get versions(): readonly number[] {
    return this.sent.flatMap(({ query }) => (query?.['watch'] === '1' ? [Number(query['resourceVersion'])] : []));
  }
}

let line: Line;
let feed: WatchedObjects;
let meter: RecordedMeter;
let logger: RecordedLogger;

beforeEach(() => {
  [line, meter, logger] = [new Line(), new RecordedMeter(), new RecordedLogger()];
});

afterEach(async () => {
  await feed.close();
});

const tools = (): FeedTools => ({ clock: SYSTEM_CLOCK, logger, meter, random: () => 0 });
const ofOurs = (heard: Heard): readonly string[] => heard.names.filter((name) => !name.endsWith('kubernetes'));

/** Waits for a change that fits; those of the past count. */
async function until(heard: Heard, name: string): Promise<void> {
  while (!heard.names.includes(name)) await heard.count(heard.changes.length + 1);
}

describe('the feed on a real API server', () => {
  test('lists in pages and keeps every object once', async () => {
    const names = Array.from({ length: PAGE_LIMIT + 20 }, (_, i) => `map-${String(i)}`);
    const path = '/api/v1/namespaces/pages/configmaps';
    await Promise.all(
      names.map((name) => api.request({ method: 'POST', path, body: { metadata: { name } }, timeoutMs: 60_000 })),
    );
    feed = openObjectFeed(line, MAPS, tools());
    await feed.whenSynced();

    expect(names.filter((name) => feed.get('pages', name) === undefined)).toEqual([]);
    expect(line.sent.filter(({ query }) => query?.['limit'] === String(PAGE_LIMIT))).toHaveLength(2);
    expect(feed.get('pages', 'map-0')).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  });

  test('gives the same shape from the list and from the watch, without what nobody reads', async () => {
    await plane().client.apply([service('listed')]);
    feed = openServiceFeed(line, tools());
    const heard = new Heard(feed);
    await until(heard, '+listed');
    await plane().client.apply([service('seen')]);
    await until(heard, '+seen');

    const [listed, seen] = ['listed', 'seen'].map((name) => feed.get('watched', name));
    expect(Object.keys(listed ?? {}).sort()).toEqual(Object.keys(seen ?? {}).sort());
    for (const each of [listed, seen]) {
      expect(each).toMatchObject({ metadata: { annotations: { 'ipam.vitistack.io/zone': 'a' } } });
      expect(JSON.stringify(each)).not.toMatch(/managedFields|"other"/);
    }
  });

  test('goes on from a bookmark after the server ended a quiet watch', async () => {
    line.watchSeconds = '4';
    feed = openObjectFeed(line, { resource: { apiVersion: 'v1', resource: 'services', namespace: 'pages' } }, tools());
    const heard = new Heard(feed);
    await eventually(() => line.versions.length === 1);
    // moves the version of all Services, without an event for those of our namespace
    await plane().client.apply([service('elsewhere')]);
    const [first = 0] = line.versions;
    // the bookmark may come at the end of a later watch, where the server is slow to hear of the write
    const last = await eventually(() => line.versions.find((version) => version !== first));

    expect(last).toBeGreaterThan(first);
    expect(heard.names).toEqual([]);
    expect(meter.of('watch_lists_total')).toHaveLength(1);
  });

  test('comes back when the API server was killed, and misses nothing', async () => {
    await plane().client.apply([service('before')]);
    feed = openServiceFeed(line, tools());
    await feed.whenSynced();
    await plane().restartServer();
    const heard = new Heard(feed);
    await plane().client.apply([service('restarted')]);
    await until(heard, '+restarted');

    expect(feed.get('watched', 'before')).toBeDefined();
    expect(feed.problem()).toBeUndefined();
  });

  test('lists again when its version is too old, and tells what vanished, came, changed and was made anew', async () => {
    const { client } = plane();
    await client.apply(['gone', 'changed', 'anew', 'same'].map((name) => service(name)));
    feed = openServiceFeed(line, tools());
    const heard = new Heard(feed);
    await until(heard, '+same');
    const before = heard.changes.length;
    line.cut();
    for (const name of ['gone', 'anew']) await client.request('DELETE', `${SERVICES}/${name}`);
    await client.apply([service('changed', 81), service('anew'), service('came')]);
    // a new process knows no versions from before its start
    await plane().restartServer();
    line.mend();
    await until(heard, '+came');

    expect(heard.names.slice(before).sort()).toEqual(['+anew', '+came', '-anew', '-gone', '~changed']);
    expect(meter.of('watch_ends_total').map(({ labels }) => labels['reason'])).toContain('expired');
    expect(ofOurs(heard).filter((name) => name.endsWith('same'))).toEqual(['+same']);
  });
});
