import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApplication } from '../../../../operator/application';
import { EventServer } from '../../../support/event-server';
import { RecordedLogger } from '../../../support/recorded-telemetry';
import { standaloneSettings } from '../../../support/standalone-settings';

const folder = mkdtempSync(join(tmpdir(), 'ipam-events-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('the operator follows clean-up events, and goes on after the last one when it starts again', async () => {
  writeFileSync(join(folder, 'zones.yaml'), 'version: 1\nzones:\n  - { name: lan, prefixes: [192.0.2.0/29] }\n');
  writeFileSync(join(folder, 'token'), 'a-token\n');
  const server = await EventServer.start();
  const token = ['--cleanup-events-token-file', join(folder, 'token')];
  const settings = standaloneSettings(folder, '--cleanup-events-url', server.url, ...token);
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
