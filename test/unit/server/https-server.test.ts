import { Agent } from 'node:http';
import { createWebServer, type WebServer } from '../../../operator/server/https-server';
import { IpamError } from '../../../operator/errors/ipam-error';
import { ManualClock } from '../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';
import { call, callJson, sendBytes } from '../../support/loopback';

describe('createWebServer', () => {
  let server: WebServer;
  let logger: RecordedLogger;
  let meter: RecordedMeter;
  let port: number;

  beforeEach(async () => {
    logger = new RecordedLogger();
    meter = new RecordedMeter();
    server = createWebServer({ bodyLimitBytes: 2_048, clock: new ManualClock(), logger, meter, requestTimeoutMs: 400 });
    server.app.get('/things', () => ({ things: 1 }));
    server.app.post('/things', (request) => ({ received: request.body }));
    server.app.delete('/things', () => ({ gone: true }));
    server.app.route({ method: ['PUT', 'DELETE'], url: '/things/:name', handler: () => ({ done: true }) });
    server.app.register((scope, _options, done) => {
      scope.get('/things/:name/parts/:part', () => ({ parts: 1 }));
      scope.put('/things/first', () => ({ first: true }));
      done();
    });
    server.app.get('/broken', () => {
      throw new TypeError('secret correct-horse');
    });
    server.app.get('/away', () => {
      throw new IpamError('store/unavailable', 'the store is away', { retryAfterSeconds: 2.5 });
    });
    ({ port } = await server.listen({ host: '127.0.0.1', port: 0 }));
  });

  afterEach(() => server.close());

  test('answers a request', async () => {
    expect(await call({ port, path: '/things' })).toMatchObject({ status: 200, text: '{"things":1}' });
  });

  test('logs nothing on the happy path', async () => {
    await call({ port, path: '/things' });
    expect(logger.lines).toEqual([]);
  });

  test('W-37 answers an unknown path with 404 and JSON', async () => {
    const answer = await call({ port, path: '/nothing?secret=correct-horse' });
    expect([answer.status, answer.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
    expect(JSON.parse(answer.text)).toEqual({ message: 'path "/nothing" does not exist here', code: 'api/not-found' });
  });

  test.each(['PUT', 'PATCH', 'OPTIONS', 'TRACE'])(
    'W-37 answers %s on a known path with 405 and what is allowed',
    async (method) => {
      const answer = await call({ port, method, path: '/things' });
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, POST, DELETE']);
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'api/method-not-allowed' });
    },
  );

  test.each([
    ['POST', '/things/a', 'PUT, DELETE'],
    ['GET', '/things/a?b=c', 'PUT, DELETE'],
    ['DELETE', '/things/a/parts/%2Fb', 'GET, HEAD'],
    ['POST', '/th%69ngs/a', 'PUT, DELETE'],
  ])('FU-28 answers %s %s, whose path has parameters, with 405 and what is allowed', async (method, path, allow) => {
    const answer = await call({ port, method, path });
    expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'api/method-not-allowed' });
  });

  test.each([
    ['GET', '/things/a/parts'],
    ['GET', '/things/a/parts/b/c'],
  ])('FU-28 answers %s on a path that no route has with 404', async (method, path) => {
    expect((await call({ port, method, path })).status).toBe(404);
  });

  test('answers a method that HTTP frameworks do not know with 405 as well', async () => {
    expect((await call({ port, method: 'PROPFIND', path: '/things' })).status).toBe(405);
  });

  test('answers 404 before it reads the body', async () => {
    const answer = await call({
      port,
      method: 'POST',
      path: '/nothing',
      headers: { 'content-type': 'text/plain' },
      body: 'x'.repeat(5_000),
    });
    expect(answer.status).toBe(404);
  });

  test('answers a path that cannot be decoded with 400 and JSON', async () => {
    const answer = await call({ port, path: '/%zz' });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toEqual({ message: 'the path is not a valid URL', code: 'api/malformed' });
  });

  test('answers a body above the limit with 413 and JSON', async () => {
    const answer = await callJson({ port, method: 'POST', path: '/things', json: { long: 'x'.repeat(3_000) } });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      413,
      { message: 'the body is larger than this path takes', code: 'api/too-large' },
    ]);
  });

  test('FU-27 counts and logs a body above the limit', async () => {
    await callJson({ port, method: 'POST', path: '/things', json: { long: 'x'.repeat(3_000) } });
    expect(meter.of('refusals_total')).toMatchObject([{ labels: { reason: 'TooLarge' }, value: 1 }]);
    const fields = { method: 'POST', route: '/things', status: 413, code: 'api/too-large' };
    expect(logger.lines).toEqual([{ level: 'info', message: 'request refused', fields }]);
  });

  test.each([
    ['a path that does not exist', 'GET /nothing HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 'NotFound'],
    ['a path that cannot be decoded', 'GET /%zz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 'BadRequest'],
    ['bytes that are no HTTP', 'hello\r\n\r\n', 'BadRequest'],
  ])('FU-27 counts %s, without a line that strangers could fill the log with', async (_name, bytes, reason) => {
    await sendBytes(port, bytes);
    expect(meter.of('refusals_total')).toMatchObject([{ labels: { reason }, value: 1 }]);
    expect(logger.lines).toEqual([]);
  });

  test('answers a body in chunks above the limit with 413', async () => {
    const chunk = `c00\r\n${'x'.repeat(0xc00)}\r\n`;
    const head =
      'POST /things HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n';
    expect(await sendBytes(port, `${head}${chunk}0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])(
    'answers a body of type %s with 415 and JSON',
    async (type) => {
      const answer = await call({
        port,
        method: 'POST',
        path: '/things',
        headers: { 'content-type': type },
        body: '{}',
      });
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        415,
        expect.objectContaining({ code: 'api/unsupported-media-type' }),
      ]);
    },
  );

  test.each([
    ['a trailing comma', '{"secret":"correct-horse",}'],
    ['half a body', '{"secret":"correct-horse"'],
    ['a poisoned prototype', '{"__proto__":{"secret":"correct-horse"}}'],
    ['nothing', ''],
  ])('W-24 answers %s with 400 and never repeats or logs it', async (_name, body) => {
    const answer = await call({
      port,
      method: 'POST',
      path: '/things',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([400, expect.objectContaining({ code: 'api/malformed' })]);
    expect(answer.text + logger.text).not.toContain('correct-horse');
  });

  test('leaves a body as it was sent', async () => {
    const json = { dryRun: 'false', list: 'a', count: '1', extra: null };
    expect(JSON.parse((await callJson({ port, method: 'POST', path: '/things', json })).text)).toEqual({
      received: json,
    });
  });

  test('answers a fault of the program with 500 and logs where it was, not what it said', async () => {
    const answer = await call({ port, path: '/broken' });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([500, expect.objectContaining({ code: 'internal' })]);
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]).toMatchObject({ level: 'error', fields: { route: '/broken', error: 'TypeError' } });
    expect(answer.text + logger.text).not.toContain('correct-horse');
    expect(String(logger.lines[0]?.fields['trace'])).toContain('https-server.test');
  });

  test('W-38 answers what a handler throws by the catalogue, with the time to wait', async () => {
    const answer = await call({ port, path: '/away' });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '3']);
    expect(JSON.parse(answer.text)).toEqual({ message: 'the store is away', code: 'store/unavailable' });
  });

  test('answers bytes that are no HTTP with 400 and JSON', async () => {
    const [head, body] = (await sendBytes(port, 'hello\r\n\r\n')).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(body ?? '')).toMatchObject({ code: 'api/malformed' });
  });

  test('answers a header above the limit with 431 and problem details, and with the message of the other paths', async () => {
    const text = await sendBytes(port, `GET /v3/zones HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 431 [^]*content-type: application\/problem\+json/);
    const detail = 'the header of the request is larger than the limit';
    const type = 'https://ipam.vitistack.io/problems/api/headers-too-large';
    expect(JSON.parse(body)).toMatchObject({
      type,
      status: 431,
      detail,
      message: detail,
      code: 'api/headers-too-large',
    });
  });

  test.each([
    [
      'a body that never ends',
      'POST /things HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a"',
    ],
    ['a header that never ends', 'GET /things HTTP/1.1\r\nhost: a\r\nx-slow: '],
  ])('gives up %s with 408 and JSON', async (_name, bytes) => {
    expect(await sendBytes(port, bytes)).toMatch(/^HTTP\/1\.1 408 [^]*"code":"api\/timeout"/);
  });

  test('keeps a connection for the next request', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let opened = 0;
    server.app.server.on('connection', () => opened++);
    for (let i = 0; i < 5; i++) await call({ port, path: '/things', agent });
    agent.destroy();
    expect(opened).toBe(1);
  });

  test('refuses an address that is taken, naming it', async () => {
    const other = createWebServer({ bodyLimitBytes: 1, clock: new ManualClock(), logger, meter });
    await expect(other.listen({ host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'settings/invalid',
      message: `cannot listen on "127.0.0.1:${port}" (EADDRINUSE)`,
    });
    await other.close();
  });

  test('listens on every address of the machine when the host is empty', async () => {
    const other = createWebServer({ bodyLimitBytes: 1, clock: new ManualClock(), logger, meter });
    other.app.get('/', () => 'here');
    const bound = await other.listen({ host: '', port: 0 });
    expect((await call({ port: bound.port })).text).toBe('here');
    await other.close();
  });
});
