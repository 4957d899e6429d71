import { connect, type Socket } from 'node:net';
import { createWebServer, type WebServer } from '../../../operator/server/https-server';
import { call, callJson } from '../../support/loopback';
import { ManualClock } from '../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';

const KIB = 1024;

describe('bodies in flight', () => {
  const sockets: Socket[] = [];
  let clock: ManualClock;
  let meter: RecordedMeter;
  let server: WebServer;
  let port: number;
  let waiting: (() => void)[];

  beforeEach(async () => {
    clock = new ManualClock();
    meter = new RecordedMeter();
    waiting = [];
    const tools = { clock, logger: new RecordedLogger(), meter };
    server = createWebServer({ bodyLimitBytes: 1_024 * KIB, bodiesBytes: 1_024 * KIB, ...tools });
    server.app.post('/things', () => ({ taken: true }));
    server.app.post(
      '/slow',
      () =>
        new Promise((resolve) => {
          waiting.push(() => {
            resolve({ taken: true });
          });
        }),
    );
    ({ port } = await server.listen({ host: '127.0.0.1', port: 0 }));
  });

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const end of waiting) end();
    await server.close();
  });

  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const inFlight = (): number => meter.sum('request_body_bytes');
  const post = (kib: number, path = '/things') =>
    callJson({ port, method: 'POST', path, json: { long: 'x'.repeat(kib * KIB) } });
  // The header of a body and its first bytes, and no more of it.
  const begin = (kib: number, head: string): { readonly text: () => string; readonly socket: Socket } => {
    const socket = connect({ host: '127.0.0.1', port });
    sockets.push(socket);
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('error', () => undefined);
    socket.write(`POST /things HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${head}\r\n`);
    socket.write('x'.repeat(kib * KIB));
    return { text: () => text, socket };
  };
  const LENGTH = `content-length: ${1_000 * KIB}\r\n`;

  test('FU-22 a large body beyond the budget gets 503 and when to ask again, and is counted', async () => {
    const first = post(600, '/slow');
    await until(() => waiting.length === 1);
    const second = await post(600);

    expect([second.status, second.headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(second.text)).toMatchObject({ code: 'api/busy' });
    expect(meter.of('refusals_total')).toMatchObject([{ labels: { reason: 'Busy' }, value: 1 }]);
    for (const end of waiting) end();
    expect((await first).status).toBe(200);
    expect([(await post(600)).status, inFlight()]).toEqual([200, 0]);
  });

  test('FU-22 small bodies are read however many large ones come', async () => {
    const large = post(1_000, '/slow');
    await until(() => waiting.length === 1);

    expect((await post(50)).status).toBe(200);
    for (const end of waiting) end();
    await large;
  });

  test('FU-22 small bodies that wait for their answers have a budget, too', async () => {
    const held = Array.from({ length: 20 }, () => post(50, '/slow'));
    await until(() => waiting.length === 20);

    expect((await post(50)).status).toBe(503);
    for (const end of waiting) end();
    await Promise.all(held);
    expect([(await post(50)).status, inFlight()]).toEqual([200, 0]);
  });

  test.each([
    ['a length', LENGTH],
    ['chunks', 'transfer-encoding: chunked\r\n\r\n100000'],
  ])('FU-22 a body with %s that arrives slowly gives way to others', async (_what, head) => {
    const slow = begin(700, head);
    await until(() => inFlight() >= 690 * KIB);
    expect((await post(600)).status).toBe(503);
    clock.advance(2_001);

    expect((await post(600)).status).toBe(200);
    await until(() => slow.text().includes('503'));
    expect(slow.text()).toContain('"code":"api/busy"');
  });

  test('FU-22 a body whose sender is gone takes no room', async () => {
    const { socket } = begin(700, LENGTH);
    await until(() => inFlight() >= 690 * KIB);
    socket.destroy();
    await until(() => inFlight() === 0);

    expect((await post(600)).status).toBe(200);
  });

  test.each([
    ['what is no JSON', 'x'.repeat(500 * KIB), 400],
    ['a poisoned prototype', `{"a":"${'x'.repeat(500 * KIB)}","__proto__":1}`, 400],
    ['nothing', '', 400],
    ['more than the limit', `{"a":"${'x'.repeat(1_100 * KIB)}"}`, 413],
  ])('FU-22 a body of %s leaves no room taken', async (_what, body, status) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await call({ port, method: 'POST', path: '/things', headers, body });

    expect([answer.status, inFlight()]).toEqual([status, 0]);
  });
});
