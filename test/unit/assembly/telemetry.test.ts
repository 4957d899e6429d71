import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../../package.json';
import { startApplication } from '../../../operator/application';
import { openTelemetry } from '../../../operator/assembly/telemetry';
import { SYSTEM_CLOCK } from '../../../operator/backends/system/system-clock';
import { createWebServer } from '../../../operator/server/https-server';
import { tellRequests, type RequestEvent } from '../../../operator/server/request-events';
import { RecordedLogger } from '../../support/recorded-telemetry';
import { SplunkCollector } from '../../support/splunk-collector';
import { standaloneSettings } from '../../support/standalone-settings';
import { freePort } from '../../support/free-ports';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipam-signals-'));
  writeFileSync(join(folder, 'zones.yaml'), 'version: 1\nzones:\n  - { name: lan, prefixes: [192.0.2.0/29] }\n');
  writeFileSync(join(folder, 'token'), 'a-token\n');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('the last lines of the log reach Splunk when it is closed', async () => {
  const collector = await SplunkCollector.start();
  const token = ['--splunk-token-file', join(folder, 'token'), '--splunk-index', 'k8s'];
  const telemetry = openTelemetry(
    standaloneSettings(folder, '--splunk-url', collector.url, '--log-level', 'error', ...token),
    SYSTEM_CLOCK,
  );
  telemetry.logger.info('too low');
  telemetry.logger.error('last words', { zone: 'lan' });
  await telemetry.close();
  await collector.stop();
  expect(collector.batches.flatMap(({ events }) => events)).toEqual([
    expect.objectContaining({ index: 'k8s', event: { level: 'error', message: 'last words', zone: 'lan' } }),
  ]);
});

test('requests of the IPAM-API reach Splunk under the names of the original, without bodies, queries and headers', async () => {
  const collector = await SplunkCollector.start();
  const settings = standaloneSettings(
    folder,
    '--splunk-url',
    collector.url,
    '--splunk-token-file',
    join(folder, 'token'),
  );
  const telemetry = openTelemetry(settings, SYSTEM_CLOCK);
  const server = createWebServer({
    bodyLimitBytes: 4_096,
    clock: SYSTEM_CLOCK,
    logger: new RecordedLogger(),
    meter: telemetry.meter,
  });
  tellRequests(server.app, SYSTEM_CLOCK, telemetry.tellRequest as (event: RequestEvent) => void);
  server.app.post('/v2', (_request, reply) => reply.send({ message: 'done' }));
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const headers = {
    'content-type': 'application/json',
    authorization: 'Bearer hunter2-token',
    'user-agent': 'a-client',
    cookie: 'hunter2-cookie',
  };
  const ask = { method: 'POST', headers, body: '{"secret":"hunter2-body","new_secret":"hunter2-new"}' };
  await (await fetch(`http://127.0.0.1:${port}/v2?secret=hunter2-query`, ask)).text();
  await (await fetch(`http://127.0.0.1:${port}/v2`, { ...ask, body: '{"secret":"hunter2-broken",}' })).text();
  await server.close();
  await telemetry.close();
  await collector.stop();
  const events = collector.batches.flatMap((batch) => batch.events);
  const http = { source: 'vitistack:ipam-api', sourcetype: 'ipam-api:http' };
  const about = { method: 'POST', path: '/v2', ip: '127.0.0.1' };
  const timed = {
    level: 'info',
    message: 'http request',
    user_agent: 'a-client',
    ...about,
    response_time: expect.stringMatching(/^[\d.]+ms$/u) as string,
    response_time_ms: expect.any(Number) as number,
  };
  expect(events).toEqual([
    expect.objectContaining({ ...http, event: { ...timed, status: 200 } }),
    expect.objectContaining({ ...http, event: { ...timed, status: 400 } }),
    expect.objectContaining({
      ...http,
      event: { level: 'error', message: 'request error', error: 'Bad Request', status: 400, ...about },
    }),
  ]);
  expect(JSON.stringify(events)).not.toContain('hunter2');
});

test('the operator tells Splunk the requests of its IPAM-API, with the log beside them', async () => {
  const collector = await SplunkCollector.start();
  const splunk = ['--splunk-url', collector.url, '--splunk-token-file', join(folder, 'token')];
  const port = await freePort();
  const api = [
    '--ipam-api-bind-address',
    `127.0.0.1:${String(port)}`,
    '--ipam-api-tls=false',
    '--log-level',
    'error',
    '--allow-anonymous-v2',
  ];
  const application = await startApplication(standaloneSettings(folder, ...splunk, ...api));
  await fetch(`http://127.0.0.1:${port}/v2`).then(
    (answer) => answer.text(),
    () => undefined,
  );
  await application.stop();
  await collector.stop();
  const kinds = collector.batches.flatMap(({ events }) => events.map(({ sourcetype }) => sourcetype));
  expect(kinds).toContain('ipam-api:http');
});

test('FU-81 the metrics tell the version that runs', async () => {
  const telemetry = openTelemetry(standaloneSettings(folder), SYSTEM_CLOCK, new RecordedLogger());
  const { text: metrics } = await telemetry.meter.exposition();
  expect(metrics).toContain(`ipam_build_info{version="${version}",node="${process.versions.node}"} 1`);
});
