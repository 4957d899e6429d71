import { openServerClock, type ServerClock } from '../../../../../operator/backends/ipam-api-client/v2/server-clock';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import type { Clock } from '../../../../../operator/ports/clock';
import { ask, granted, liveServices } from '../../../../support/ledger-world';
import { ManualClock } from '../../../../support/manual-clock';
import { RemoteWorld } from '../../../../support/remote-world';

const HOUR_MS = 3_600_000;
const NOON_MS = Date.parse('2026-01-01T12:00:00Z');

/** An API server, by its clock and by how often it was asked. */
class Server {
  nowMs: number | undefined = NOON_MS;
  away = false;
  asked = 0;

  date = (): Promise<number | undefined> => {
    this.asked += 1;
    if (this.away) return Promise.reject(new TypeError('away'));
    return Promise.resolve(this.nowMs === undefined ? undefined : Math.floor(this.nowMs / 1000) * 1000);
  };
}

describe('FU-13 the clock of the API server', () => {
  let server: Server;
  let open: ServerClock[];
  beforeEach(() => {
    server = new Server();
    open = [];
  });
  afterEach(() => {
    for (const { close } of open) close();
  });

  async function processWith(own: Clock): Promise<ServerClock> {
    const opened = await openServerClock(own, server.date);
    open.push(opened);
    return opened;
  }

  test('is the same for processes whose own clocks differ by an hour', async () => {
    const clocks = [new ManualClock(NOON_MS), new ManualClock(NOON_MS + HOUR_MS), new ManualClock(NOON_MS - HOUR_MS)];
    for (const own of clocks) {
      const { clock } = await processWith(own);
      expect(Math.abs(clock.nowMs() - NOON_MS)).toBeLessThan(2_000);
    }
    expect(server.asked).toBe(3);
  });

  test('is looked at each minute, carried on while the server is away, and the own one where it tells no date', async () => {
    const own = new ManualClock(NOON_MS + HOUR_MS);
    const { clock } = await processWith(own);
    server.away = true;
    own.advance(60_000);
    await new Promise(setImmediate);
    expect(Math.abs(clock.nowMs() - NOON_MS)).toBeLessThan(2_000);
    server.away = false;
    server.nowMs = NOON_MS + 2 * HOUR_MS;
    own.advance(60_000);
    await new Promise(setImmediate);
    expect(Math.abs(clock.nowMs() - NOON_MS - 2 * HOUR_MS)).toBeLessThan(2_000);
    server.nowMs = undefined;
    expect(Math.abs((await processWith(own)).clock.nowMs() - own.nowMs())).toBeLessThan(2_000);
  });

  test('tells when leases of version 2 end, whatever the clock of the replica that sweeps', async () => {
    const world = new RemoteWorld();
    await world.api.start();
    server.nowMs = Date.now();
    const ahead = { nowMs: () => Date.now() + HOUR_MS, after: SYSTEM_CLOCK.after.bind(SYSTEM_CLOCK) };
    try {
      const [usual, hasty] = await Promise.all([SYSTEM_CLOCK, ahead].map((own) => processWith(own)));
      granted(await world.process({ clock: usual!.clock }).book.reserve(ask('a/web', { zone: 'inet' })));
      const { book } = world.process({ clock: hasty!.clock });
      const live = liveServices();
      const swept = await book.sweep({ clusterUid: 'c1', startedMs: hasty!.clock.nowMs(), live });
      expect(swept.released).toBe(0);
      expect(world.phases()).toEqual(['held']);
      const own = world.process({ clock: ahead }).book;
      expect((await own.sweep({ clusterUid: 'c1', startedMs: ahead.nowMs(), live })).released).toBe(1);
    } finally {
      await world.dispose();
    }
  });
});
