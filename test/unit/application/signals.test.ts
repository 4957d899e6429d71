import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApplication } from '../../../operator/application';
import { openTelemetry } from '../../../operator/open-telemetry';
import { SYSTEM_CLOCK } from '../../../operator/backends/system/system-clock';
import { parseSettings } from '../../../operator/settings/parse-settings';
import type { Settings } from '../../../operator/settings/options';
import { EventServer } from '../../support/event-server';
import { RecordedLogger } from '../../support/recorded-telemetry';
import { SplunkCollector } from '../../support/splunk-collector';

jest.setTimeout(30_000);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipam-signals-'));
  writeFileSync(join(folder, 'zones.yaml'), 'version: 1\nzones:\n  - { name: lan, prefixes: [192.0.2.0/29] }\n');
  writeFileSync(join(folder, 'token'), 'a-token\n');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function settingsOf(...more: readonly string[]): Settings {
  const at = (name: string): string => join(folder, name);
  const argv = [
    ...['--standalone', '--zones-file', at('zones.yaml'), '--sqlite-file', at('ipam.sqlite')],
    ...['--hash-key-file', at('key'), '--webhook-bind-address', '127.0.0.1:0', '--health-probe-bind-address', '0'],
    ...['--shutdown-delay', '0', ...more],
  ];
  const parsed = parseSettings({ argv, env: {} });
  if (!parsed.ok) throw new TypeError(JSON.stringify(parsed.problems));
  return parsed.value;
}

test('the operator follows clean-up events, and goes on after the last one when it starts again', async () => {
  const server = await EventServer.start();
  const settings = settingsOf('--cleanup-events-url', server.url, '--cleanup-events-token-file', join(folder, 'token'));
  const logger = new RecordedLogger();
  const first = await startApplication(settings, logger);
  const { response, headers } = await server.connection(1);
  expect(headers.authorization).toBe('Bearer a-token');
  response.write('id: 41\nevent: cluster-deleted\ndata: {"cluster_id":"gone"}\n\n');
  response.write('id: 42\nevent: cluster-deleted\ndata: {"cluster_id":"gone too"}\n\n');
  response.end('id: 43\nevent: cluster-deleted\ndata: {"cluster_id":"gone-as-well"}\n\n');
  // it comes back after a pause, and shows by then what it keeps
  expect((await server.connection(2)).headers['last-event-id']).toBe('43');
  await first.stop();
  const second = await startApplication(settings, logger);
  expect((await server.connection(3)).headers['last-event-id']).toBe('43');
  await second.stop();
  await server.stop();
});

test('the last lines of the log reach Splunk when it is closed', async () => {
  const collector = await SplunkCollector.start();
  const token = ['--splunk-token-file', join(folder, 'token'), '--splunk-index', 'k8s'];
  const telemetry = openTelemetry(
    settingsOf('--splunk-url', collector.url, '--log-level', 'error', ...token),
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
