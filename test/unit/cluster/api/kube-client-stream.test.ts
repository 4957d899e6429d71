import type { ApiAnswer } from '../../../../operator/cluster/api/api-client';
import type { JsonMap } from '../../../../operator/contract/loose-json';
import { startClusterWorld, type ClusterWorld } from '../../../support/cluster-world';

const WATCH = { method: 'GET', path: '/api/v1/services', query: { watch: '1' } } as const;

let world: ClusterWorld;

beforeEach(async () => {
  world = await startClusterWorld();
});

afterEach(async () => {
  await world.stop();
});

const lines = (stream: ApiAnswer | AsyncIterable<JsonMap>): AsyncIterator<JsonMap> => {
  if (!(Symbol.asyncIterator in stream)) throw new RangeError(`refused: ${stream.status}`);
  return stream[Symbol.asyncIterator]();
};

describe('KubeClient.stream', () => {
  test('gives each line as soon as it is complete, however the bytes arrive', async () => {
    const opening = world.client.stream(WATCH);
    const watch = (await world.server.next()).watch();
    const stream = lines(await opening);
    const bytes = Buffer.from('{"name":"ü"}\n{"name":"b"}\n\n{"na');
    const first = stream.next();
    // the cut goes through the two bytes of "ü"
    watch.raw(bytes.subarray(0, 10));
    watch.raw(bytes.subarray(10));

    expect(await first).toEqual({ done: false, value: { name: 'ü' } });
    expect(await stream.next()).toEqual({ done: false, value: { name: 'b' } });

    watch.raw('me":"c"}');
    watch.end();

    expect(await stream.next()).toEqual({ done: false, value: { name: 'c' } });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(world.clock.waiting).toBe(0);
  });

  test.each([410, 429, 500, 503])('gives the refusal %i as an answer', async (status) => {
    const opening = world.client.stream(WATCH);
    (await world.server.next()).status(status, 'Reason', { 'retry-after': '7' });

    expect(await opening).toMatchObject({ ok: false, status, reason: 'Reason', retryAfterSeconds: 7 });
    expect(world.clock.waiting).toBe(0);
  });

  test('fails when the connection breaks in the middle', async () => {
    const opening = world.client.stream(WATCH);
    const watch = (await world.server.next()).watch();
    const next = lines(await opening).next();
    watch.raw('{"na').reset();

    await expect(next).rejects.toMatchObject({
      code: 'cluster/unavailable',
      message: 'GET /api/v1/services broke (ECONNRESET)',
    });
  });

  test('fails after a silence, and lets the dead connection go', async () => {
    const opening = world.client.stream(WATCH);
    const watch = (await world.server.next()).watch();
    const stream = lines(await opening);
    world.clock.advance(119_999);
    const first = stream.next();
    watch.raw('{}\n');
    await first;
    const second = stream.next();
    world.clock.advance(120_000);

    await expect(second).rejects.toMatchObject({ message: 'GET /api/v1/services was silent for 120000 ms' });
    await expect(watch.left).resolves.toBeUndefined();
  });

  test('fails for a line that is no object', async () => {
    const opening = world.client.stream(WATCH);
    const watch = (await world.server.next()).watch();
    const next = lines(await opening).next();
    watch.raw('<html>\n');

    await expect(next).rejects.toMatchObject({ message: 'GET /api/v1/services sent no JSON, but "<html>"' });
  });

  test('fails for the page of a proxy', async () => {
    const opening = world.client.stream(WATCH);
    (await world.server.next()).plain(502, '<h1>Bad gateway</h1>', 'text/html');

    await expect(opening).rejects.toMatchObject({
      message: `GET /api/v1/services at 127.0.0.1:${world.server.port}: the API server answered 502: no JSON, but "<h1>Bad gateway</h1>"`,
    });
  });

  test('closes the connection when its reader stops', async () => {
    const opening = world.client.stream(WATCH);
    const watch = (await world.server.next()).watch().raw('{}\n');
    const stream = lines(await opening);
    await stream.next();
    await stream.return?.();

    await expect(watch.left).resolves.toBeUndefined();
  });

  test.each(['its signal', 'the client'])('ends with %s', async (what) => {
    const caller = new AbortController();
    const opening = world.client.stream({ ...WATCH, signal: caller.signal });
    const watch = (await world.server.next()).watch();
    const next = lines(await opening).next();
    const failed = next.catch((thrown: unknown) => thrown);
    if (what === 'its signal') caller.abort();
    else await world.client.close();

    expect(await failed).toMatchObject({ code: 'cluster/unavailable' });
    await expect(watch.left).resolves.toBeUndefined();
  });

  test('does not wait for the first byte for ever', async () => {
    const opening = world.client.stream({ ...WATCH, timeoutMs: 700 });
    await world.server.next();
    world.clock.advance(700);

    await expect(opening).rejects.toMatchObject({
      message: `GET /api/v1/services at 127.0.0.1:${world.server.port}: got no answer within 700 ms`,
    });
  });

  test('lives on after the time for its first byte', async () => {
    const opening = world.client.stream({ ...WATCH, timeoutMs: 700 });
    const watch = (await world.server.next()).watch();
    const stream = lines(await opening);
    const next = stream.next();
    world.clock.advance(701);
    watch.raw('{"late":true}\n');

    expect(await next).toMatchObject({ value: { late: true } });
  });
});
