import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../../operator/telemetry/pino-logger';
import { createMeter } from '../../../operator/telemetry/prometheus-meter';
import {
  FLUSH_MS,
  GATHER_MS,
  openSplunk,
  QUEUE_BYTES,
  type SplunkSender,
} from '../../../operator/telemetry/splunk-sender';
import { ArmedClock } from '../../support/armed-clock';
import { SplunkCollector } from '../../support/splunk-collector';

let collector: SplunkCollector;
let folder: string;
let clock: ArmedClock;
let meter: ReturnType<typeof createMeter>;
let states: (string | undefined)[];

beforeEach(async () => {
  collector = await SplunkCollector.start();
  folder = mkdtempSync(join(tmpdir(), 'ipam-splunk-'));
  writeFileSync(join(folder, 'token'), 'first-token\n');
  clock = new ArmedClock();
  meter = createMeter({ processMetrics: false });
  states = [];
});

afterEach(async () => {
  await collector.stop();
  rmSync(folder, { recursive: true });
});

function sender(): SplunkSender {
  return openSplunk({
    url: `${collector.url}/`,
    tokenFile: join(folder, 'token'),
    index: 'k8s',
    host: 'ipam-0',
    clock,
    meter,
    source: 'vitistack:ipam-api',
    sourcetype: 'ipam-api:app',
    spread: () => 1,
    onState: (problem) => states.push(problem),
  });
}

async function counted(name: string): Promise<string | undefined> {
  const { text } = await meter.exposition();
  return text.split('\n').find((line) => line.startsWith(`ipam_${name} `) || line.startsWith(`ipam_${name}{`));
}

describe('openSplunk', () => {
  test('sends the lines of the log in one batch, with the names that Splunk gives an event', async () => {
    const splunk = sender();
    const lines: string[] = [];
    const log = createLogger({
      level: 'info',
      clock,
      destination: { write: (line: string) => lines.push(line) },
      also: (line) => {
        splunk.write(line);
      },
    });
    log.info('listening', { port: 9443 });
    log.warn('sweep failed', { code: 'internal', secret: 'hunter2' });
    await clock.pass(GATHER_MS);
    const { path, authorization, events } = await collector.arrived(1);
    expect(path).toBe('/services/collector/event');
    expect(authorization).toBe('Splunk first-token');
    const names = { host: 'ipam-0', source: 'vitistack:ipam-api', sourcetype: 'ipam-api:app', index: 'k8s' };
    expect(events).toEqual([
      { ...names, time: 1767225600, event: { level: 'info', message: 'listening', port: 9443 } },
      {
        ...names,
        time: 1767225600,
        event: { level: 'warn', message: 'sweep failed', code: 'internal', dropped: ['secret'] },
      },
    ]);
    expect(lines).toHaveLength(2);
    await splunk.close();
  });

  test('never waits for Splunk when a line is written', () => {
    const splunk = sender();
    splunk.write('{"message":"one"}\n');
    expect(collector.batches).toEqual([]);
    expect(clock.waiting).toBe(1);
  });

  test.each([503, 401, 0])('keeps a batch after status %d and sends it again with growing pauses', async (status) => {
    const splunk = sender();
    collector.statuses = [status, status];
    splunk.write('{"message":"one"}\n');
    await clock.pass(GATHER_MS);
    await collector.arrived(1);
    writeFileSync(join(folder, 'token'), 'second-token\n');
    await clock.pass(1_000);
    await collector.arrived(2);
    await clock.pass(2_000);
    const third = await collector.arrived(3);
    expect(third.authorization).toBe('Splunk second-token');
    expect(third.events.map(({ event }) => event)).toEqual([{ message: 'one' }]);
    await splunk.close();
    expect(states).toEqual([status === 0 ? 'no answer' : `status ${status}`, undefined]);
    expect(await counted('splunk_failures_total')).toBe('ipam_splunk_failures_total 2');
  });

  test('gives up a batch that Splunk calls malformed, and goes on with the next', async () => {
    const splunk = sender();
    collector.statuses = [400];
    splunk.write('not JSON\n');
    await clock.pass(GATHER_MS);
    await collector.arrived(1);
    splunk.write('{"message":"two"}\n');
    await splunk.close();
    expect(collector.batches.map(({ events }) => events[0]?.['event'])).toEqual([
      { message: 'not JSON' },
      { message: 'two' },
    ]);
    expect(await counted('splunk_events_total')).toBe('ipam_splunk_events_total{result="refused"} 1');
  });

  test('drops the oldest lines of a full queue and counts them', async () => {
    const splunk = sender();
    const text = 'x'.repeat(64 * 1024);
    const many = QUEUE_BYTES / text.length + 10;
    for (let i = 0; i < many; i++) splunk.write(JSON.stringify({ message: `${i}`, text }));
    const [, dropped = '0'] = /dropped"\} (\d+)/u.exec((await meter.exposition()).text) ?? [];
    expect(Number(dropped)).toBeGreaterThanOrEqual(10);
    await splunk.close();
    const sent = collector.batches.flatMap(({ events }) =>
      events.map(({ event }) => (event as { message: string }).message),
    );
    expect(sent).toEqual(Array.from({ length: sent.length }, (_, i) => `${i + Number(dropped)}`));
    expect(sent).toHaveLength(many - Number(dropped));
  });

  test('sends what waits when the process ends', async () => {
    const splunk = sender();
    splunk.write('{"message":"last words"}\n');
    await splunk.close();
    expect(collector.batches).toHaveLength(1);
    splunk.write('{"message":"too late"}\n');
    await splunk.close();
    expect(collector.batches).toHaveLength(1);
  });

  test('ends in time though Splunk is away, and counts what is lost', async () => {
    const splunk = sender();
    await collector.stop();
    splunk.write('{"message":"one"}\n');
    const closed = splunk.close();
    clock.advance(FLUSH_MS);
    await closed;
    expect(await counted('splunk_events_total')).toBe('ipam_splunk_events_total{result="dropped"} 1');
    collector = await SplunkCollector.start();
  });
});
