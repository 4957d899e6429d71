import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpExchange, type ExchangeProps } from '../../../../operator/backends/ipam-api-client/api-exchange';
import { accountForAnswers } from '../../../../operator/runtime/awaited-system';
import { ArmedClock } from '../../../support/armed-clock';

const CALL = { method: 'GET', path: '/x', repeatable: true } as const;
const ATTEMPT_MS = 5_000;
const CALL_MS = 8_000;

type Reply = readonly [status: number, headers?: Readonly<Record<string, string>>];
let clock: ArmedClock;
/** Times of the calls as the server sees them, from the begin of the test. */
let calls: number[];
/** Answer of the server; undefined: none yet. */
let reply: (call: number) => Reply | undefined;
let held: ServerResponse[];
let exchange: HttpExchange;

const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  calls.push(clock.nowMs() - begin);
  const said = reply(calls.length);
  if (said === undefined) held.push(response);
  else response.writeHead(said[0], said[1]).end('{}');
});
let begin: number;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  clock = new ArmedClock();
  begin = clock.nowMs();
  [calls, held, reply] = [[], [], () => [200]];
  exchange = opened();
});
afterEach(() => {
  for (const response of held) response.end();
  exchange.close();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function opened(more: Partial<ExchangeProps> = {}): HttpExchange {
  const { port } = server.address() as AddressInfo;
  const target = { url: `http://127.0.0.1:${String(port)}` };
  return new HttpExchange({ target, clock, random: () => 0, attemptMs: ATTEMPT_MS, callMs: CALL_MS, ...more });
}

/** Waits until the server has so many calls. */
async function arrived(count: number): Promise<void> {
  while (calls.length < count) await new Promise(setImmediate);
}

const caught = (call: Promise<unknown>): Promise<unknown> => call.catch((thrown: unknown) => thrown);

describe('HttpExchange.call', () => {
  test('FU-36 is what a request is said to wait for while the server is silent', async () => {
    reply = () => undefined;
    const awaited = await accountForAnswers(async (system) => {
      const call = caught(exchange.call(CALL));
      await arrived(1);
      const name = system();
      held.pop()?.writeHead(200).end('{}');
      await call;
      return [name, system()];
    });
    expect(awaited).toEqual(['ipam-api', undefined]);
  });

  test('repeats with growing pauses while the server is away, and has the answer when it is back', async () => {
    reply = (call) => (call < 4 ? [503] : [200]);
    const call = exchange.call(CALL);
    for (const ms of [50, 100, 200]) await clock.pass(ms);
    expect((await call).status).toBe(200);
    expect(calls).toEqual([0, 50, 150, 350]);
  });

  test('tells what the server said last when nobody asks it any more', async () => {
    reply = () => [502];
    const call = caught(exchange.call(CALL));
    for (const ms of [50, 100, 200, 400, 800]) await clock.pass(ms);
    expect(await call).toMatchObject({
      code: 'store/unavailable',
      message: expect.stringMatching(/status 502$/u) as string,
    });
    expect(calls).toHaveLength(5);
    await expect(exchange.call(CALL)).rejects.toMatchObject({
      message: expect.stringMatching(/is away; a new try is made in 5 s$/u) as string,
      retryAfterSeconds: 5,
    });
    expect(calls).toHaveLength(5);
  });

  test('sends what may not be sent twice once', async () => {
    reply = () => [503];
    await expect(exchange.call({ ...CALL, repeatable: false })).rejects.toMatchObject({ code: 'store/unavailable' });
    expect(calls).toHaveLength(1);
  });

  test('waits as long as the server asks, though it would have come back sooner', async () => {
    reply = (call) => (call === 1 ? [503, { 'retry-after': '2' }] : [200]);
    const call = exchange.call(CALL);
    await clock.pass(2_000);
    await call;
    expect(calls).toEqual([0, 2_000]);
  });

  test('makes no endless loop of a server that asks for no wait', async () => {
    reply = (call) => (call < 3 ? [503, { 'retry-after': '0' }] : [200]);
    const call = exchange.call(CALL);
    for (const ms of [50, 100]) await clock.pass(ms);
    await call;
    expect(calls).toEqual([0, 50, 150]);
  });

  test('fails at once when the wait that the server asks for is longer than the time', async () => {
    reply = () => [503, { 'retry-after': '30' }];
    await expect(exchange.call(CALL)).rejects.toMatchObject({ retryAfterSeconds: 30 });
    expect(calls).toEqual([0]);
  });

  test('takes a limit for the limit of all its calls, which wait, and not for an outage', async () => {
    reply = (call) => (call === 1 ? [429, { 'retry-after': '3' }] : [200]);
    const first = await caught(exchange.call({ ...CALL, repeatable: false }));
    expect(first).toMatchObject({ retryAfterSeconds: 3 });
    const others = [exchange.call(CALL), exchange.call({ ...CALL, repeatable: false })];
    const hurried = caught(exchange.call({ ...CALL, callMs: 1_000 }));
    expect(await hurried).toMatchObject({
      message: expect.stringContaining('too many calls') as string,
      retryAfterSeconds: 3,
    });
    expect(calls).toHaveLength(1);
    await clock.pass(3_000);
    await Promise.all(others);
    expect(calls).toEqual([0, 3_000, 3_000]);
    await exchange.call(CALL);
    expect(calls).toEqual([0, 3_000, 3_000, 3_000]);
  });

  test('stops waiting for an answer after its time, and ends within that of the call', async () => {
    reply = () => undefined;
    const call = caught(exchange.call(CALL));
    await arrived(1);
    await clock.pass(ATTEMPT_MS);
    await clock.pass(50);
    await arrived(2);
    await clock.pass(CALL_MS - ATTEMPT_MS - 50);
    expect(await call).toMatchObject({ message: expect.stringMatching(/no answer within 2950 ms$/u) as string });
    expect(clock.nowMs() - begin).toBe(CALL_MS);
  });

  test('lets one call try a server that was away, and the others after it', async () => {
    exchange = opened({ breaker: { failures: 1, openMs: 5_000 } });
    reply = (call) => (call === 1 ? [503] : undefined);
    await caught(exchange.call({ ...CALL, repeatable: false }));
    clock.advance(5_000);
    const probe = exchange.call(CALL);
    await arrived(2);
    await expect(exchange.call(CALL)).rejects.toMatchObject({ code: 'store/unavailable' });
    reply = () => [200];
    held.pop()?.end('{}');
    await probe;
    await exchange.call(CALL);
    expect(calls).toEqual([0, 5_000, 5_000]);
  });

  test('finishes calls under way when the certificates change, and uses a new connection for the next', async () => {
    let tls = {};
    exchange = opened({ tls: () => tls });
    reply = (call) => (call === 1 ? undefined : [200]);
    const before = exchange.call(CALL);
    await arrived(1);
    const [old] = held;
    tls = { ca: 'another' };
    await exchange.call(CALL);
    const closed = once(old!.socket!, 'close');
    old?.end('{}');
    expect((await before).status).toBe(200);
    await closed; // nobody uses the old one again
  });

  test('finishes calls under way when it is closed', async () => {
    reply = () => undefined;
    const call = exchange.call(CALL);
    await arrived(1);
    exchange.close();
    held[0]?.end('{}');
    expect((await call).status).toBe(200);
  });
});

describe('HttpExchange.open', () => {
  test('gives up a stream that does not begin, and lets one that began go on', async () => {
    reply = () => undefined;
    const opening = caught(exchange.open(CALL, new AbortController().signal));
    await arrived(1);
    await clock.pass(ATTEMPT_MS);
    expect(await opening).toMatchObject({ message: expect.stringMatching(/no answer within 5000 ms$/u) as string });
    const again = exchange.open(CALL, new AbortController().signal);
    await arrived(2);
    held[1]?.write('{');
    const stream = await again;
    clock.advance(10 * ATTEMPT_MS);
    held[1]?.end('}');
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    expect(text).toBe('{}');
  });
});
