import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOOK_MS, startCleanupEvents } from '../../../../operator/front-doors/cleanup-events/cleanup-events';
import { SILENT_MS } from '../../../../operator/contract/durations';
import { SILENCE_MS } from '../../../../operator/front-doors/cleanup-events/connection';
import { REMEMBERED, type EventPlace } from '../../../../operator/front-doors/cleanup-events/seen';
import { IpamError } from '../../../../operator/errors/ipam-error';
import { accept } from '../../../../operator/errors/outcome';
import { createLogger } from '../../../../operator/telemetry/pino-logger';
import { createMeter } from '../../../../operator/telemetry/prometheus-meter';
import { ArmedClock } from '../../../support/armed-clock';
import { EventServer } from '../../../support/event-server';

class KeptText implements EventPlace {
  text = '';
  #waiters: { readonly count: number; readonly resolve: () => void }[] = [];
  #writes = 0;

  read(): Promise<string> {
    return Promise.resolve(this.text);
  }

  write(text: string): Promise<void> {
    this.text = text;
    this.#writes++;
    for (const { count, resolve } of this.#waiters) if (this.#writes >= count) resolve();
    return Promise.resolve();
  }

  async written(count: number): Promise<void> {
    if (this.#writes < count) await new Promise<void>((resolve) => this.#waiters.push({ count, resolve }));
  }
}

let server: EventServer;
let folder: string;
let place: KeptText;
let clock: ArmedClock;
let cleared: string[];
let faults: number;
let stop: () => Promise<void>;
let lines: string[];
/** When clusters reported last. */
let reports: Map<string, number>;
const meter = createMeter({ processMetrics: false });

function start(): void {
  stop = startCleanupEvents({
    source: { url: server.url, tokenFile: join(folder, 'token') },
    registry: {
      clearCluster: ({ clusterUid, dryRun }) => {
        if (faults-- > 0) return Promise.reject(new IpamError('store/unavailable', 'away'));
        cleared.push(`${clusterUid}${dryRun ? ' (dry run)' : ''}`);
        return Promise.resolve([]);
      },
      clusters: () =>
        Promise.resolve(
          accept([...reports].map(([clusterUid, reportedAtMs]) => ({ clusterUid, name: '', claims: 1, reportedAtMs }))),
        ),
    },
    ownCluster: () => Promise.resolve('own'),
    place,
    clock,
    meter,
    spread: () => 1,
    logger: createLogger({ level: 'info', clock, destination: { write: (line: string) => lines.push(line) } }),
  });
}

function deleted(id: string, uid: string): string {
  return `id: ${id}\nevent: cluster-deleted\ndata: {"cluster_id":"${uid}"}\n\n`;
}

beforeEach(async () => {
  server = await EventServer.start();
  folder = mkdtempSync(join(tmpdir(), 'ipam-events-'));
  writeFileSync(join(folder, 'token'), 'a-token\n');
  place = new KeptText();
  clock = new ArmedClock();
  cleared = [];
  lines = [];
  reports = new Map();
  faults = 0;
});

afterEach(async () => {
  await stop();
  await server.stop();
  rmSync(folder, { recursive: true });
});

describe('startCleanupEvents', () => {
  test('ends the claims of the cluster that an event names, over borders inside of its characters', async () => {
    start();
    const { response, headers } = await server.connection(1);
    expect(headers).toMatchObject({ accept: 'text/event-stream', authorization: 'Bearer a-token' });
    expect(headers['last-event-id']).toBeUndefined();
    const bytes = Buffer.from(`: heartbeat\n\nevent: cluster-created\nid: 0\ndata: {}\n\n${deleted('1', 'ærø-1')}`);
    const inside = bytes.indexOf('æ') + 1;
    response.write(bytes.subarray(0, inside));
    await new Promise(setImmediate);
    response.write(bytes.subarray(inside));
    await place.written(2);
    expect(cleared).toEqual(['ærø-1']);
    expect(JSON.parse(place.text)).toMatchObject({ last: '1', ids: [expect.any(String), expect.any(String)] });
  });

  test('goes on after the last event when the connection drops, and does none again that comes twice', async () => {
    start();
    (await server.connection(1)).response.write(deleted('ø-1', 'a'));
    await place.written(1);
    server.connections[0]?.response.destroy();
    await clock.pass(1_000);
    const second = await server.connection(2);
    expect(Buffer.from(String(second.headers['last-event-id']), 'latin1').toString('utf8')).toBe('ø-1');
    second.response.write(deleted('ø-1', 'a') + deleted('2', 'b') + deleted('ø-1', 'a'));
    await place.written(2);
    expect(cleared).toEqual(['a', 'b']);
  });

  test('does no event again after a restart', async () => {
    start();
    (await server.connection(1)).response.write(deleted('1', 'a'));
    await place.written(1);
    await stop();
    start();
    const second = await server.connection(2);
    expect(second.headers['last-event-id']).toBe('1');
    second.response.write(deleted('1', 'a') + deleted('2', 'b'));
    await place.written(2);
    expect(cleared).toEqual(['a', 'b']);
  });

  test('does an event without id that follows one with an id, in the same connection and in the next', async () => {
    start();
    const bare = (uid: string): string => deleted('', uid).replace('id: \n', '');
    (await server.connection(1)).response.write(deleted('1', 'a') + bare('b') + deleted('2', 'c'));
    await place.written(2);
    server.connections[0]?.response.destroy();
    await clock.pass(1_000);
    (await server.connection(2)).response.write(bare('d') + deleted('3', 'e'));
    await place.written(3);
    expect(cleared).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('does each event once whatever the order of their ids, over half events and connections that end at once', async () => {
    start();
    (await server.connection(1)).response.end(
      deleted('9', 'a') + deleted('3', 'b') + deleted('7', 'half').slice(0, -1),
    );
    await place.written(2);
    for (let count = 2; count < 6; count++) {
      await clock.pass(1_000);
      (await server.connection(count)).response.end();
    }
    await stop();
    start();
    const { headers, response } = await server.connection(6);
    expect(headers['last-event-id']).toBe('3');
    response.write(`\uFEFF${(deleted('9', 'a') + deleted('3', 'b') + deleted('7', 'c')).replaceAll('\n', '\r\n')}`);
    await place.written(3);
    expect(cleared).toEqual(['a', 'b', 'c']);
  });

  test.each([
    ['no JSON', 'data: nonsense'],
    ['no cluster', 'data: {"cluster":"a"}'],
    ['no text', 'data: {"cluster_id":7}'],
    ['an empty UID', 'data: {"cluster_id":""}'],
    ['a list', 'data: []'],
  ])('logs an event with %s without its text, leaves it out, and goes on', async (_name, data) => {
    start();
    (await server.connection(1)).response.write(`id: 1\nevent: cluster-deleted\n${data}\n\n${deleted('2', 'b')}`);
    await place.written(2);
    expect(cleared).toEqual(['b']);
    expect(lines.filter((line) => line.includes('clean-up event left out'))).toHaveLength(1);
    expect(lines.join('')).not.toContain('nonsense');
  });

  test('keeps an event while the store is away, and does it when the store is back', async () => {
    faults = 2;
    start();
    (await server.connection(1)).response.write(deleted('1', 'a') + deleted('2', 'b'));
    await clock.pass(1_000);
    expect(place.text).toBe('');
    await clock.pass(2_000);
    await place.written(2);
    expect(cleared).toEqual(['a', 'b']);
    expect(server.connections).toHaveLength(1);
  });

  test('comes back with growing pauses while the server refuses, and takes no other answer for a stream', async () => {
    server.answers = [
      { status: 401, type: 'application/json' },
      { status: 200, type: 'text/html' },
      { status: 302, type: 'text/plain' },
    ];
    start();
    await server.connection(1);
    await clock.pass(1_000);
    await server.connection(2);
    await clock.pass(2_000);
    await server.connection(3);
    await clock.pass(4_000);
    (await server.connection(4)).response.write(deleted('1', 'a'));
    await place.written(1);
    expect(cleared).toEqual(['a']);
    expect(lines.filter((line) => line.includes('cannot be read'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('is read again'))).toHaveLength(1);
  });

  test('waits as long as the server asks for', async () => {
    start();
    (await server.connection(1)).response.end(`retry: 7000\n\n${deleted('1', 'a')}`);
    await clock.pass(7_000);
    await server.connection(2);
    expect(cleared).toEqual(['a']);
  });

  test('gives up a connection that is silent for too long', async () => {
    start();
    const { response, closed } = await server.connection(1);
    response.write(': comment\n\n');
    await clock.pass(SILENCE_MS);
    await closed;
    await clock.pass(1_000);
    await server.connection(2);
    expect(server.connections).toHaveLength(2);
  });

  test('does each of hundreds of events once, though the server repeats them all and names one id of a thousand characters', async () => {
    const long = 'x'.repeat(1_001);
    const ids = [...Array.from({ length: 300 }, (_each, index) => String(index)), long];
    const all = ids.map((id) => deleted(id, `of-${id.slice(0, 9)}`)).join('');
    start();
    (await server.connection(1)).response.end(all);
    await place.written(301);
    for (const count of [2, 3]) {
      await clock.pass(1_000);
      const { headers, response } = await server.connection(count);
      expect(headers['last-event-id']).toBe('299');
      response.end(all);
    }
    await clock.pass(1_000);
    await server.connection(4);
    expect(cleared).toHaveLength(301);
    expect(new Set(cleared).size).toBe(301);
  });

  test('goes on from what an older version kept, and keeps no more ids than its limit', async () => {
    place.text = JSON.stringify(['1', '2']);
    start();
    const { headers, response } = await server.connection(1);
    expect(headers['last-event-id']).toBe('2');
    response.write(deleted('1', 'a') + deleted('3', 'b'));
    await place.written(1);
    expect(cleared).toEqual(['b']);
    await stop();
    const ids = Array.from({ length: REMEMBERED }, (_each, index) => `h${index}`);
    place.text = JSON.stringify({ last: 'z', ids, waiting: [] });
    start();
    (await server.connection(2)).response.write(deleted('4', 'c'));
    await place.written(2);
    expect((JSON.parse(place.text) as { ids: string[] }).ids).toHaveLength(REMEMBERED);
  });

  test('refuses an event that names the own cluster, and tells it', async () => {
    start();
    (await server.connection(1)).response.write(deleted('1', 'own') + deleted('2', 'b'));
    await place.written(2);
    expect(cleared).toEqual(['b']);
    expect(lines.filter((line) => line.includes('the operator runs in this cluster'))).toHaveLength(1);
  });

  test('ends the claims of a cluster that just reported only once it is silent, over a restart too', async () => {
    reports.set('a', clock.nowMs());
    start();
    (await server.connection(1)).response.write(deleted('1', 'a') + deleted('2', 'a'));
    await place.written(2);
    await stop();
    expect(cleared).toEqual([]);
    start();
    await clock.pass(LOOK_MS);
    expect(cleared).toEqual([]);
    await clock.armed(LOOK_MS);
    clock.advance(SILENT_MS);
    await place.written(3);
    expect(cleared).toEqual(['a']);
    expect(JSON.parse(place.text)).toMatchObject({ waiting: [] });
  });

  test('refuses the event of a cluster that still reports an hour later, and tells it once', async () => {
    reports.set('a', clock.nowMs());
    start();
    (await server.connection(1)).response.write(deleted('1', 'a'));
    await place.written(1);
    for (let minutes = 0; minutes < 60; minutes++) {
      reports.set('a', clock.nowMs());
      await clock.pass(LOOK_MS);
    }
    await place.written(2);
    expect(cleared).toEqual([]);
    expect(JSON.parse(place.text)).toMatchObject({ waiting: [] });
    expect(lines.filter((line) => line.includes('so it is alive'))).toHaveLength(1);
    const { text } = await meter.exposition();
    expect(text).toMatch(/ipam_cleanup_events_total\{result="refused"\} \d/u);
  });

  test('logs nothing at the usual level for an event that finds nothing to end', async () => {
    start();
    (await server.connection(1)).response.write(deleted('1', 'a'));
    await place.written(1);
    expect(lines.filter((line) => line.includes('"a"'))).toEqual([]);
  });

  test('ends its connection when it is stopped', async () => {
    start();
    const { closed } = await server.connection(1);
    await stop();
    await closed;
    expect(cleared).toEqual([]);
  });
});
