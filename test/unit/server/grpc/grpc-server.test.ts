import { connect } from 'node:http2';
import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { ALLOCATION_SERVICE, type AllocResponse } from '../../../../operator/contract/networks/alloc/messages';
import { IpamError } from '../../../../operator/errors/ipam-error';
import { accept, refuse, type Outcome } from '../../../../operator/errors/outcome';
import type { CertificatePair } from '../../../../operator/ports/certificates';
import {
  createGrpcServer,
  type GrpcServer,
  type GrpcServerOptions,
} from '../../../../operator/server/grpc/grpc-server';
import { streaming, unary } from '../../../../operator/server/grpc/grpc-methods';
import { X509_CERTIFICATES } from '../../../../operator/server/x509-certificates';
import { AllocClient, briefly, type AllocTarget } from '../../../support/alloc-client';
import { ManualClock } from '../../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../../support/recorded-telemetry';

const clock = new ManualClock();
let logger: RecordedLogger;
let meter: RecordedMeter;
let server: GrpcServer | undefined;
let clients: AllocClient[] = [];
const relays: Server[] = [];

beforeEach(() => {
  [logger, meter] = [new RecordedLogger(), new RecordedMeter()];
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const relay of relays.splice(0)) relay.close();
  const closing = server?.close(1);
  clock.advance(1);
  await closing;
});

type Answer = Promise<Outcome<Partial<AllocResponse>>>;

async function serve(
  answer: () => Answer,
  options: Partial<GrpcServerOptions> = {},
): Promise<{ readonly port: number; connect(to?: Partial<AllocTarget>): AllocClient }> {
  const methods = [
    unary(ALLOCATION_SERVICE.Allocation, answer),
    streaming(ALLOCATION_SERVICE.Watch, async ({ signal }, stream) => {
      stream.send({ synced: true });
      if (!signal.aborted) await once(signal, 'abort');
      return accept(undefined);
    }),
  ];
  server = createGrpcServer({ clock, logger, meter, methods, ...options });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    port,
    connect: (to = {}) => {
      const client = new AllocClient({ port, ...to });
      clients = [...clients, client];
      return client;
    },
  };
}

/** Opens a port that leads to another one, which sees its callers at an address of theirs. */
async function relayed(port: number, localAddress: string): Promise<number> {
  const relay = createServer((inner) => {
    const outer = createConnection({ port, host: '127.0.0.1', localAddress });
    for (const each of [inner, outer]) each.on('error', () => undefined);
    inner.pipe(outer).pipe(inner);
  });
  relays.push(relay);
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return (relay.address() as AddressInfo).port;
}

const REQUEST = { namespace: 'a', name: 'b' };
const GIVEN: Answer = Promise.resolve(accept({ allocatedPrefix: '10.0.0.1/32' }));

test('a refusal is a status with the code of the refusal, and counted', async () => {
  const at = await serve(() => Promise.resolve(refuse('pool/exhausted', 'nothing is free')));
  await expect(at.connect().allocate(REQUEST)).resolves.toEqual({
    status: 'RESOURCE_EXHAUSTED',
    refusal: 'pool/exhausted',
    message: 'nothing is free',
  });
  expect(meter.of('grpc_calls_total').map(({ labels }) => labels)).toEqual([
    { method: 'Allocation.Allocation', code: 'RESOURCE_EXHAUSTED' },
  ]);
});

test('an outage is one to try again, and a fault of the program is told to the log alone', async () => {
  let thrown: Error = new IpamError('cluster/unavailable', 'no answer');
  const at = await serve(() => Promise.reject(thrown));
  expect(briefly(await at.connect().allocate(REQUEST))).toBe('UNAVAILABLE cluster/unavailable');
  thrown = new RangeError('a secret');
  const failed = await at.connect().allocate(REQUEST);
  expect(briefly(failed)).toBe('INTERNAL internal');
  expect(JSON.stringify(failed)).not.toContain('a secret');
  expect(logger.text).toContain('a gRPC call failed');
});

test('calls beyond the limit are answered at once, and questions about health beside it', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let began = 0;
  const at = await serve(
    async () => {
      began += 1;
      await held;
      return GIVEN;
    },
    { limits: { mostCalls: 2 } },
  );
  const client = at.connect();
  const running = [client.allocate(REQUEST), client.allocate(REQUEST)];
  while (began < 2) await client.health();
  expect(briefly(await client.allocate(REQUEST))).toBe('UNAVAILABLE api/busy');
  expect(await client.health()).toEqual({ status: 'NOT_SERVING' });
  release();
  expect((await Promise.all(running)).map(briefly)).toEqual(['10.0.0.1/32', '10.0.0.1/32']);
});

test('a call that is not decided in time is answered', async () => {
  let began = (): void => undefined;
  const beginning = new Promise<void>((resolve) => {
    began = resolve;
  });
  const at = await serve(() => {
    began();
    return new Promise(() => undefined);
  });
  const answer = at.connect().allocate(REQUEST);
  await beginning;
  clock.advance(60_000);
  expect(briefly(await answer)).toBe('DEADLINE_EXCEEDED api/timeout');
});

test('streams have a limit and an end of their own', async () => {
  const at = await serve(() => GIVEN, { limits: { mostStreams: 1 } });
  const first = at.connect().watch(REQUEST);
  await first.until(({ messages }) => messages.length > 0);
  const second = at.connect().watch(REQUEST);
  await second.until(({ ended }) => ended !== undefined);
  expect(second.ended).toMatchObject({ status: 'UNAVAILABLE', refusal: 'api/streams-full' });
  clock.advance(600_000);
  await first.until(({ ended }) => ended !== undefined);
  expect(first.ended).toBe('OK');
});

test('streams about health have a limit of their own', async () => {
  const at = await serve(() => GIVEN, { limits: { mostStreams: 1, mostHealthStreams: 1 } });
  const first = at.connect().watchHealth();
  await first.until(({ messages }) => messages.length > 0);
  const second = at.connect().watchHealth();
  await second.until(({ ended }) => ended !== undefined);
  expect(second.ended).toMatchObject({ status: 'UNAVAILABLE', refusal: 'api/streams-full' });
  expect(await at.connect().health()).toEqual({ status: 'NOT_SERVING' });
  const other = at.connect().watch(REQUEST);
  await other.until(({ messages }) => messages.length > 0);
});

test('one client has a share of the streams about health, and others have theirs beside it', async () => {
  const at = await serve(() => GIVEN, { limits: { mostHealthStreams: 3, mostHealthStreamsOfPeer: 1 } });
  const first = at.connect().watchHealth();
  await first.until(({ messages }) => messages.length > 0);
  const second = at.connect().watchHealth();
  await second.until(({ ended }) => ended !== undefined);
  expect(second.ended).toMatchObject({ status: 'RESOURCE_EXHAUSTED', refusal: 'api/too-many-streams' });
  const other = at.connect({ port: await relayed(at.port, '127.0.0.2') }).watchHealth();
  await other.until(({ messages }) => messages.length > 0);
  first.cancel();
  // the server hears of the end by itself
  let again;
  do {
    again = at.connect().watchHealth();
    await again.until(({ messages, ended }) => ended !== undefined || messages.length > 0);
  } while (again.messages.length === 0);
  expect(again.messages).toEqual([{ status: 'NOT_SERVING' }]);
});

describe('connections', () => {
  const cut = (): number => meter.of('connections_cut_total').length;
  const open = async (port: number, localAddress = '127.0.0.1'): Promise<Socket> => {
    const socket = createConnection({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };

  test('have a limit for each peer, and others are served beside it', async () => {
    const at = await serve(() => GIVEN, { limits: { mostConnectionsOfPeer: 2 } });
    const silent = await Promise.all([open(at.port), open(at.port)]);
    const third = await open(at.port);
    await once(third.resume(), 'close');
    expect(cut()).toBe(1);
    const elsewhere = at.connect({ port: await relayed(at.port, '127.0.0.2') });
    expect(briefly(await elsewhere.allocate(REQUEST))).toBe('10.0.0.1/32');
    silent[0].destroy();
    // the server sees the end of the first one by itself
    let answer;
    do answer = briefly(await at.connect().allocate(REQUEST));
    while (answer !== '10.0.0.1/32');
    silent[1].destroy();
  });

  test('have a limit of all peers, and silent ones end with the server', async () => {
    const at = await serve(() => GIVEN, { limits: { mostConnections: 2 } });
    const silent = await Promise.all([open(at.port, '127.0.0.2'), open(at.port, '127.0.0.3')]);
    await once((await open(at.port, '127.0.0.4')).resume(), 'close');
    expect(cut()).toBe(1);
    const ends = silent.map((socket) => once(socket.resume(), 'close'));
    await server?.close(0);
    await Promise.all(ends);
  });
});

test('bytes that are no message are refused, and the server lives', async () => {
  const at = await serve(() => GIVEN);
  const session = connect(`http://127.0.0.1:${String(at.port)}`);
  const stream = session.request({
    ':method': 'POST',
    ':path': '/alloc.Allocation/Allocation',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  // a frame of five bytes whose text says that it is longer
  stream.end(Buffer.from([0, 0, 0, 0, 3, 0x0a, 0x09, 0x61]));
  stream.resume();
  // an answer without a message has its status in its only header
  const [header] = (await once(stream, 'response')) as [Record<string, string>];
  expect(header['grpc-status']).toBe('13');
  session.close();
  expect(briefly(await at.connect().allocate(REQUEST))).toBe('10.0.0.1/32');
});

test('a message beyond 256 KiB is refused', async () => {
  const at = await serve(() => GIVEN);
  const labels = Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`k${String(index)}`, 'x'.repeat(50)]));
  expect(briefly(await at.connect().allocate({ ...REQUEST, labels }))).toMatch(/^RESOURCE_EXHAUSTED/u);
});

test('health is what it was told last, and a watch ends with the server', async () => {
  const at = await serve(() => GIVEN);
  server?.serving(true);
  expect(await at.connect().health('alloc.Allocation')).toEqual({ status: 'SERVING' });
  expect(await at.connect().health('other')).toMatchObject({ status: 'NOT_FOUND' });
});

test('a renewed certificate is shown to the next connection', async () => {
  const nowMs = Date.now();
  const make = async () => {
    const authority = await X509_CERTIFICATES.makeAuthority(nowMs);
    return { ca: authority.certificate, pair: await X509_CERTIFICATES.issue(authority, { names: ['one'], nowMs }) };
  };
  const [before, after] = [await make(), await make()];
  let renew: (pair: CertificatePair) => void = () => undefined;
  const certificate = {
    current: () => before.pair,
    onChange: (listener: (pair: CertificatePair) => void) => {
      renew = listener;
      return () => undefined;
    },
    problem: () => undefined,
    close: () => undefined,
  };
  const at = await serve(() => GIVEN, { certificate });
  const call = (ca: string) => at.connect({ ca, serverName: 'one' }).allocate(REQUEST);
  expect(briefly(await call(before.ca))).toBe('10.0.0.1/32');
  expect(briefly(await call(after.ca))).toMatch(/^UNAVAILABLE/u);
  renew(after.pair);
  expect(briefly(await call(after.ca))).toBe('10.0.0.1/32');
});

test('a port that is taken is told with its reason', async () => {
  const { port } = await serve(() => GIVEN);
  const other = createGrpcServer({ clock, logger, meter, methods: [] });
  await expect(other.listen({ host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'settings/invalid' });
});
