import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createWebServer, type WebServer, type WebServerOptions } from '../../../operator/server/https-server';
import { MOST_HANDSHAKES } from '../../../operator/server/handshakes';
import { issueServingPair, makeAuthority } from '../../../operator/server/self-signed';
import { SYSTEM_CLOCK } from '../../../operator/backends/system/system-clock';
import { call } from '../../support/loopback';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';

describe('connections without a request', () => {
  const sockets: Socket[] = [];
  const finish: ((text: string) => void)[] = [];
  let meter: RecordedMeter;
  let server: WebServer;
  let port: number;

  const start = async (options: Partial<WebServerOptions>): Promise<void> => {
    meter = new RecordedMeter();
    const tools = { clock: SYSTEM_CLOCK, logger: new RecordedLogger(), meter };
    server = createWebServer({ bodyLimitBytes: 1_024, ...tools, ...options });
    server.app.get('/', () => 'here');
    server.app.post('/', () => 'taken');
    server.app.get('/slow', () => new Promise<string>((resolve) => finish.push(resolve)));
    server.app.get('/large', () => 'x'.repeat(1 << 20));
    ({ port } = await server.listen({ host: '127.0.0.1', port: 0 }));
  };

  const open = async (bytes = ''): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port });
    sockets.push(socket);
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    if (bytes !== '') socket.write(bytes);
    return socket;
  };
  const openMany = (count: number, bytes = '') => Promise.all(Array.from({ length: count }, () => open(bytes)));
  const openAtServer = () =>
    new Promise<number>((resolve) => {
      server.app.server.getConnections((_error, count) => {
        resolve(count);
      });
    });
  const until = async (isSo: (open: number) => boolean): Promise<void> => {
    while (!isSo(await openAtServer())) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const cut = (reason: string) =>
    meter.of('connections_cut_total').filter(({ labels }) => labels['reason'] === reason).length;

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server.close();
  });

  const serving = async () => {
    const authority = await makeAuthority(Date.now());
    const pair = await issueServingPair(authority, { names: [], nowMs: Date.now() });
    const certificate = {
      current: () => pair,
      onChange: () => () => undefined,
      problem: () => undefined,
      close: () => undefined,
    };
    return { ca: authority.certificate, certificate };
  };

  test('FU-20 500 silent sockets on a TLS port are destroyed, and callers are served meanwhile', async () => {
    const { ca, certificate } = await serving();
    await start({ certificate, requestTimeoutMs: 3_000 });
    await openMany(500);
    await until(() => cut('limit') + cut('handshake') >= 500 - MOST_HANDSHAKES);

    expect(await openAtServer()).toBeLessThanOrEqual(MOST_HANDSHAKES);
    expect((await call({ port, ca })).status).toBe(200);
    await until((count) => count === 0);
    expect(cut('limit') + cut('handshake')).toBeGreaterThanOrEqual(500);
  });

  test('FU-20 bytes that are no TLS end the connection at once', async () => {
    const { certificate } = await serving();
    await start({ certificate });
    const socket = await open('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await new Promise((resolve) => socket.once('close', resolve));

    expect(cut('handshake')).toBe(1);
  });

  test.each([
    ['silent', ''],
    ['half a header', 'GET / HTTP/1.1\r\n'],
    ['half a body', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{'],
    ['at rest', 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'],
  ])('FU-20 beyond the limit, new callers take the places of those that are %s', async (_what, bytes) => {
    await start({ mostConnections: 20 });
    await openMany(200, bytes);

    expect((await call({ port })).status).toBe(200);
    expect(await openAtServer()).toBeLessThanOrEqual(20);
    expect(cut('limit')).toBeGreaterThanOrEqual(180);
  });

  test('FU-20 silent connections do not push out one that has been used', async () => {
    await start({ mostConnections: 20 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await call({ port, agent });
    let opened = 0;
    server.app.server.on('connection', () => opened++);
    await openMany(60);
    await until(() => opened === 60);
    await call({ port, agent });
    agent.destroy();

    expect(opened).toBe(60);
  });

  test('FU-20 a caller that waits for its answer is never cut, and where all do, the new one is', async () => {
    await start({ mostConnections: 2 });
    const waiting = [call({ port, path: '/slow' }), call({ port, path: '/slow' })];
    while (finish.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await expect(call({ port })).rejects.toMatchObject({ code: 'ECONNRESET' });
    for (const each of finish.splice(0)) each('done');

    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('FU-20 a caller that reads none of its answers is cut in the end', async () => {
    await start({ requestTimeoutMs: 100 });
    const socket = await open();
    socket.pause();
    socket.write('GET /large HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(40));
    await until((count) => count === 1);
    await until((count) => count === 0);

    expect(await openAtServer()).toBe(0);
  });
});
