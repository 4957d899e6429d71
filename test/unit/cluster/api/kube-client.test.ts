import type { ApiRequest } from '../../../../operator/cluster/api/api-client';
import { DEFAULT_BURST, DEFAULT_QPS } from '../../../../operator/cluster/api/kube-client';
import { startClusterWorld, TOKEN, type ClusterWorld } from '../../../support/cluster-world';

const PATH = '/api/v1/namespaces/a/services/s';
const GET: ApiRequest = { method: 'GET', path: PATH };
const POST: ApiRequest = { method: 'POST', path: '/api/v1/namespaces/a/events', body: { kind: 'Event' } };

let world: ClusterWorld;

beforeEach(async () => {
  world = await startClusterWorld();
});

afterEach(async () => {
  await world.stop();
});

/** Reads the failure of a call as one text. */
const failure = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'an answer',
    (thrown: unknown) => (thrown as Error).message,
  );

describe('KubeClient.request', () => {
  test('sends JSON with the login, and gives the object of the answer', async () => {
    const answer = world.client.request({
      method: 'PATCH',
      path: PATH,
      query: { fieldManager: 'ipam & more' },
      body: { spec: { text: 'ü' } },
      contentType: 'application/merge-patch+json',
    });
    const call = await world.server.next();
    call.json(200, { kind: 'Service' });

    expect(await answer).toMatchObject({ ok: true, status: 200, body: { kind: 'Service' } });
    expect(call).toMatchObject({
      method: 'PATCH',
      path: PATH,
      query: { fieldManager: 'ipam & more' },
      text: '{"spec":{"text":"ü"}}',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/merge-patch+json' },
    });
  });

  test.each([
    [404, 'NotFound'],
    [409, 'Conflict'],
    [410, 'Expired'],
    [422, 'Invalid'],
  ])('gives the refusal %i as a value at once', async (status, reason) => {
    const answer = world.client.request(GET);
    (await world.server.next()).status(status, reason);

    expect(await answer).toMatchObject({ ok: false, status, reason, message: `said ${reason}` });
  });

  test('takes the plain text of an unknown path as not found', async () => {
    const answer = world.client.request(GET);
    (await world.server.next()).plain(404, '404 page not found\n', 'text/plain; charset=utf-8');

    expect(await answer).toMatchObject({ ok: false, status: 404, reason: 'NotFound', message: '404 page not found' });
  });

  test('takes an empty body as an empty object', async () => {
    const answer = world.client.request(GET);
    (await world.server.next()).plain(200, '', 'application/json');

    expect(await answer).toMatchObject({ ok: true, status: 200, body: {} });
  });

  test.each([
    [200, 'Thu, 01 Jan 2026 00:00:05 GMT', Date.UTC(2026, 0, 1, 0, 0, 5)],
    [404, 'Thu, 01 Jan 2026 00:00:05 GMT', Date.UTC(2026, 0, 1, 0, 0, 5)],
    [200, 'soon', undefined],
  ])('tells the time of an answer %s with the date %s', async (status, date, serverTimeMs) => {
    const answer = world.client.request({ method: 'GET', path: PATH });
    (await world.server.next()).json(status, { reason: 'NotFound' }, { date });

    expect((await answer).serverTimeMs).toBe(serverTimeMs);
  });

  test.each([
    ['seconds', '3'],
    ['a date', 'Thu, 01 Jan 2026 00:00:03 GMT'],
  ])('waits after 429 as Retry-After says in %s, for a POST too', async (_form, header) => {
    const answer = world.client.request(POST);
    (await world.server.next()).status(429, 'TooManyRequests', { 'retry-after': header });
    await world.clock.pass(3000);
    (await world.server.next()).json(201, { kind: 'Event' });

    expect(await answer).toMatchObject({ status: 201 });
  });

  test('repeats a call that changes nothing twice after 500, 503 and a broken connection, with growing pauses', async () => {
    const answer = world.client.request(GET);
    (await world.server.next()).status(500, 'InternalError');
    await world.clock.pass(50);
    (await world.server.next()).status(503, 'ServiceUnavailable');
    await world.clock.pass(100);
    (await world.server.next()).reset();
    await world.clock.pass(200);
    (await world.server.next()).breakMidBody();
    await world.clock.pass(400);
    (await world.server.next()).json(200, { kind: 'Service' });

    expect(await answer).toMatchObject({ ok: true });
    expect(world.meter.of('cluster_requests_total').map(({ labels }) => labels['status'])).toEqual([
      '500',
      '503',
      '0',
      '200',
      '200',
    ]);
  });

  test.each(['etcdserver: request is too large', 'trying to send message larger than max (2310618 vs. 2097152)'])(
    'tells an object that the store does not take by status 413, and tries no second time: %s',
    async (message) => {
      const answer = world.client.request({ method: 'PUT', path: PATH, body: {} });
      (await world.server.next()).json(500, { kind: 'Status', code: 500, message });

      expect(await answer).toMatchObject({ ok: false, status: 413, message });
      expect(world.server.seen).toBe(1);
    },
  );

  test.each<readonly [string, (call: Awaited<ReturnType<ClusterWorld['server']['next']>>) => void, RegExp]>([
    [
      '503',
      (call) => {
        call.status(503, 'ServiceUnavailable');
      },
      /answered 503: said ServiceUnavailable/,
    ],
    [
      'a broken connection',
      (call) => {
        call.reset();
      },
      /connection failed \(ECONNRESET\)/,
    ],
  ])('does not repeat a POST after %s, since the server may have acted', async (_case, fail, message) => {
    const call = failure(world.client.request(POST));
    fail(await world.server.next());

    expect(await call).toMatch(message);
    expect(world.server.seen).toBe(1);
  });

  test('does not repeat a list of JSON patch operations after 500', async () => {
    const call = failure(
      world.client.request({ method: 'PATCH', path: PATH, body: [], contentType: 'application/json-patch+json' }),
    );
    (await world.server.next()).status(500, 'InternalError');

    expect(await call).toBe(
      `PATCH ${PATH} at 127.0.0.1:${world.server.port}: the API server answered 500: said InternalError`,
    );
  });

  test('repeats a POST that nobody took', async () => {
    const { port } = world.server;
    await world.server.stop();
    const call = world.client.request({ ...POST, timeoutMs: 120 });
    await world.clock.pass(50);
    // the second pause would end after the time
    await expect(call).rejects.toMatchObject({
      code: 'cluster/unavailable',
      message: expect.stringMatching(/within 120 ms; before, the connection failed \(ECONNREFUSED\)/) as unknown,
    });
    expect(port).toBeGreaterThan(0);
    expect(world.meter.of('cluster_requests_total')).toHaveLength(2);
  });

  test('gives up at once when Retry-After is later than its time, and tells the seconds', async () => {
    const call = world.client.request(GET);
    (await world.server.next()).status(429, 'TooManyRequests', { 'retry-after': '60' });

    await expect(call).rejects.toMatchObject({ code: 'cluster/unavailable', retryAfterSeconds: 60 });
  });

  test('gives up when no answer comes in time', async () => {
    const call = failure(world.client.request(GET));
    await world.server.next();
    world.clock.advance(10_000);

    expect(await call).toBe(`GET ${PATH} at 127.0.0.1:${world.server.port}: got no answer within 10000 ms`);
  });

  test('shows how the page of a proxy begins', async () => {
    const call = failure(world.client.request(GET));
    (await world.server.next()).plain(200, `<html>\n<h1>Sign in</h1>${'x'.repeat(200)}`, 'text/html');

    expect(await call).toMatch(/answered 200: no JSON, but "<html> <h1>Sign in<\/h1>x+…"$/);
  });

  test('shows nothing of a broken object, which may be a Secret', async () => {
    const call = failure(world.client.request(GET));
    (await world.server.next()).plain(200, '{"data":{"secret":"c2VjcmV0"', 'application/json');

    expect(await call).toMatch(/answered 200: broken JSON$/);
  });

  test('reads the login again after 401, once', async () => {
    const call = world.client.request(POST);
    (await world.server.next()).status(401, 'Unauthorized');
    (await world.server.next()).status(401, 'Unauthorized');

    expect(await call).toMatchObject({ ok: false, status: 401 });
  });

  test('ends with its signal', async () => {
    const caller = new AbortController();
    const call = failure(world.client.request({ ...GET, signal: caller.signal }));
    await world.server.next();
    caller.abort();

    expect(await call).toBe(`GET ${PATH} at 127.0.0.1:${world.server.port}: was ended by its caller`);
  });

  test('sends nothing for a signal that was aborted before', async () => {
    expect(await failure(world.client.request({ ...GET, signal: AbortSignal.abort() }))).toMatch(/ended by its caller/);
    expect(world.server.seen).toBe(0);
  });

  test('ends with the client, and takes no call after it', async () => {
    const call = failure(world.client.request(GET));
    await world.server.next();
    await world.client.close();

    expect(await call).toMatch(/the client is closed/);
    expect(await failure(world.client.request(GET))).toMatch(/the client is closed/);
  });

  test('leaves no timer behind', async () => {
    const call = world.client.request(GET);
    (await world.server.next()).json(200, {});
    await call;

    expect(world.clock.waiting).toBe(0);
  });

  test('keeps one connection for calls after each other', async () => {
    for (let i = 0; i < 3; i += 1) {
      const call = world.client.request(GET);
      (await world.server.next()).json(200, {});
      await call;
    }

    expect(world.server.connections).toBe(1);
  });

  test('says the login in no log line and no error', async () => {
    const call = failure(world.client.request({ ...GET, timeoutMs: 60 }));
    (await world.server.next()).status(503, 'ServiceUnavailable');
    await world.clock.pass(50);
    (await world.server.next()).reset();

    expect((await call) + world.logger.text).not.toContain(TOKEN);
  });
});

describe('the rate of KubeClient', () => {
  test('lets the conditions of 5,000 new Services be written within half a minute', () => {
    expect((5_000 - DEFAULT_BURST) / DEFAULT_QPS).toBeLessThan(30);
  });

  test('lets the VIPs door serve 300 Services in a second by two writes each, its counters and lease beside', () => {
    expect(DEFAULT_QPS).toBeGreaterThan(2 * 300 + 20);
  });

  test('lets a burst through, then one call after another; a watch stands in no line', async () => {
    const limited = await startClusterWorld({ qps: 10, burst: 2 });
    try {
      const calls = [1, 2, 3, 4].map(() => limited.client.request(GET));
      const watch = limited.client.stream({ method: 'GET', path: '/api/v1/services' });
      const first = await Promise.all([1, 2, 3].map(() => limited.server.next()));
      for (const call of first) {
        if (call.path === PATH) call.json(200, {});
        else call.status(410, 'Expired');
      }

      expect(await watch).toMatchObject({ status: 410 });
      expect(first.filter(({ path }) => path === PATH)).toHaveLength(2);

      await limited.clock.pass(100);
      (await limited.server.next()).json(200, {});
      limited.clock.advance(100);
      (await limited.server.next()).json(200, {});

      expect(await Promise.all(calls)).toHaveLength(4);
    } finally {
      await limited.stop();
    }
  });
});
