import { request } from 'node:http';
import { ADMISSION_BODY_BYTES, WEBHOOK_PATHS } from '../../operator/contract/group';
import { addWebhookRoutes } from '../../operator/front-doors/services/admission/webhook';
import { registerHealth, Health } from '../../operator/server/health';
import { createWebServer } from '../../operator/server/https-server';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import { IPAM_API_BODY_BYTES } from '../../operator/contract/ipam-api/v2';
import { SLICE_BYTES } from '../../operator/contract/json-slices';
import { clientLogin, registerIpamApi, registerIpamApiV3 } from '../../operator/front-doors/ipam-api/index';
import { LedgerWorld } from '../support/ledger-world';
import { V3_CLIENTS } from '../support/remote-book';
import { DoorWorld } from '../support/door-world';
import { call } from '../support/loopback';
import { ManualClock } from '../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../support/recorded-telemetry';
import { review, service } from '../support/review-builder';

/** Larger than any wait on a busy machine: how slowly a body may arrive is another test's. */
const REQUEST_MS = 600_000;

// The costly ones to parse for their size.
const BODIES = ['[],', '{"a":1},', '1.5,', '[[[1]]],'].map((part) => {
  const count = Math.floor((ADMISSION_BODY_BYTES - 100) / part.length);
  return Buffer.from(`{"kind":"AdmissionReview","apiVersion":"v1","request":[${part.repeat(count)}1]}`);
});

/** Time that this thread computed, in milliseconds: other processes have no part in it. */
function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** What the costliest of the bodies costs where it is parsed at once. */
function costliestMs(): number {
  const costs = BODIES.map((body) => {
    const startMs = computedMs();
    JSON.parse(body.toString());
    return computedMs() - startMs;
  });
  return Math.max(...costs);
}

function send(port: number, body: Buffer): Promise<{ readonly status: number; readonly retryAfter?: string }> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const sent = request({ host: '127.0.0.1', port, method: 'POST', path: WEBHOOK_PATHS.mutate, headers }, (answer) => {
      const retryAfter = answer.headers['retry-after'];
      answer.resume().once('end', () => {
        resolve({ status: answer.statusCode ?? 0, ...(retryAfter === undefined ? {} : { retryAfter }) });
      });
    });
    // an answer may come while the body is still on its way, and the connection ends then
    sent.on('error', () => {
      resolve({ status: 0 });
    });
    sent.end(body);
  });
}

test(
  'FU-22 under many reviews of 8 MiB a probe waits for less than one of them takes, and usual reviews are served',
  async () => {
    const { book, cluster, zones, settings } = new DoorWorld();
    // its clock stands still, so that no body counts as slow
    const tools = { clock: new ManualClock(), logger: new RecordedLogger(), meter: new RecordedMeter() };
    const parts = { ...tools, requestTimeoutMs: REQUEST_MS };
    const server = createWebServer({ bodyLimitBytes: ADMISSION_BODY_BYTES, ...parts });
    server.app.register((scope, _options, done) => {
      addWebhookRoutes(scope, { book, cluster, zones, settings, ...tools });
      done();
    });
    const probes = createWebServer({ bodyLimitBytes: 1_024, ...parts });
    const health = new Health(SYSTEM_CLOCK, []);
    registerHealth(probes.app, { health, exposition: () => Promise.resolve({ contentType: 'text/plain', text: '' }) });
    const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
    const at = await probes.listen({ host: '127.0.0.1', port: 0 });
    const atOnceMs = costliestMs();
    const attack = Promise.all(
      Array.from({ length: 2 * BODIES.length }, (_, i) => send(port, BODIES[i % BODIES.length]!)),
    );
    const ended = jest.fn();
    void attack.finally(ended);
    const body = JSON.stringify(review({ object: service() }));
    const headers = { 'content-type': 'application/json' };
    const waits: number[] = [];
    const reviews: number[] = [];
    do {
      const startMs = computedMs();
      await call({ port: at.port, path: '/healthz' });
      waits.push(computedMs() - startMs);
      reviews.push((await call({ port, method: 'POST', path: WEBHOOK_PATHS.mutate, headers, body })).status);
    } while (ended.mock.calls.length === 0);
    const answers = await attack;
    await Promise.all([server.close(), probes.close()]);

    // some slices of each body that is being parsed; the time-out of a probe is several times as long as one body takes
    expect(Math.max(...waits)).toBeLessThan(atOnceMs / 2);
    expect(new Set(reviews)).toEqual(new Set([200]));
    expect(answers.filter(({ status }) => status === 200)).toEqual([]);
    expect(answers.some(({ status, retryAfter }) => status === 503 && retryAfter === '1')).toBe(true);
    expect(answers.some(({ status }) => status === 400 || status === 413)).toBe(true);
    expect(tools.meter.of('request_body_bytes').at(-1)?.value).toBe(0);
  },
  REQUEST_MS,
);

test('FU-22 a large report to the IPAM-API lets other work run while it is parsed', async () => {
  const { book, registry, zones, clock } = new LedgerWorld();
  const tools = { clock, logger: new RecordedLogger(), meter: new RecordedMeter() };
  const { app } = createWebServer({ bodyLimitBytes: IPAM_API_BODY_BYTES, ...tools });
  registerIpamApi(app, { ...tools, book, deadlineSeconds: 10, allowAnonymousV2: true });
  const parts = { ...tools, book, registry, zones, deadlineSeconds: 10 };
  registerIpamApiV3(app, parts, clientLogin({ current: () => V3_CLIENTS }, clock));
  await app.ready();
  const entry = { namespace: 'a', name: 'web', uid: 'u', addresses: ['192.0.2.1'] };
  const payload = JSON.stringify({ ageMilliseconds: 0, services: Array.from({ length: 60_000 }, () => entry) });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer token-of-admin' };
  let turns = 0;
  let ends = false;
  const turn = (): void => {
    turns++;
    if (!ends) setImmediate(turn);
  };
  turn();
  const answer = await app.inject({ method: 'PUT', url: '/v3/clusters/c1/report', headers, payload });
  ends = true;

  expect(answer.statusCode).toBe(200);
  expect(turns).toBeGreaterThan(payload.length / SLICE_BYTES);
});
