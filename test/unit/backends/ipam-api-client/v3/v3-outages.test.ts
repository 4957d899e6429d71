import { RemoteAddressBook } from '../../../../../operator/backends/ipam-api-client/v3/v3-address-book';
import type { V3Client } from '../../../../../operator/backends/ipam-api-client/v3/v3-client';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { isIpamError } from '../../../../../operator/errors/ipam-error';
import { ask, claimant, granted, LedgerWorld, refusal } from '../../../../support/ledger-world';
import { RecordedLogger } from '../../../../support/recorded-telemetry';
import { startV3, v3Client, V3_CLIENTS, type V3Server } from '../../../../support/remote-book';

/** State of the way to the server during a call: its answer is lost after the work was done, or late, or there is none. */
type Weather = 'well' | 'lost' | 'late' | 'away';

const LATE_MS = 400;
let world: LedgerWorld;
let v3: V3Server;
let client: V3Client;
let book: RemoteAddressBook;
let calls: number;
let weather: (call: number) => Weather;

beforeEach(async () => {
  world = new LedgerWorld();
  calls = 0;
  weather = () => 'well';
  const now = new WeakMap<object, Weather>();
  v3 = await startV3(world, V3_CLIENTS, (app) => {
    app.addHook('onRequest', async (request, reply) => {
      now.set(request.raw, weather(++calls));
      // as a proxy in front of a server that is away says it
      if (now.get(request.raw) === 'away') await reply.code(503).type('text/html').send('<html>away</html>');
    });
    app.addHook('onSend', async (request) => {
      if (now.get(request.raw) === 'lost') request.raw.socket.destroy();
      if (now.get(request.raw) === 'late')
        await new Promise((resolve) =>
          SYSTEM_CLOCK.after(LATE_MS, () => {
            resolve(0);
          }),
        );
    });
  });
  const limits = { attemptMs: LATE_MS / 2, callMs: 4_000, breaker: { failures: 6, openMs: 200 } };
  client = v3Client(v3, { clock: SYSTEM_CLOCK, token: 'token-of-c1', ...limits });
  book = new RemoteAddressBook({ client, clusterUid: 'c1', clock: SYSTEM_CLOCK, logger: new RecordedLogger() });
});
afterEach(async () => {
  book.close();
  client.close();
  await v3.server.close();
});

describe('RemoteAddressBook', () => {
  test.each(['lost', 'late', 'away'] as const)('has one claim when the first answer is %s', async (first) => {
    weather = (call) => (call === 1 ? first : 'well');
    const grant = granted(await book.reserve(ask('a/web')));
    expect(calls).toBeGreaterThan(1);
    expect(await world.tally()).toEqual({ held: 1, quarantined: 0 });
    expect((await world.record(grant.address.toString()))?.holders).toHaveLength(1);
  });

  test('loses and doubles nothing when every second answer is lost', async () => {
    weather = (call) => (call % 2 === 1 ? 'lost' : 'well');
    const names = Array.from({ length: 12 }, (_, index) => `a/s${index}`);
    for (const [index, name] of names.entries()) {
      const grant = granted(await book.reserve(ask(name)));
      const owner = { ...claimant(name), serviceUid: `u${index}` };
      expect(granted(await book.bind({ claimant: owner, grant })).state).toBe('bound');
    }
    expect(await world.tally()).toEqual({ held: 12, quarantined: 0 });
    for (const index of [0, 1, 2]) granted(await book.releaseByUid({ serviceUid: `u${index}` }));
    expect(await world.tally()).toEqual({ held: 9, quarantined: 3 });
    expect(await book.owners('c1')).toHaveLength(9);
  });

  test('fails while the server is away, soon without asking, and goes on when it is back', async () => {
    weather = () => 'away';
    const thrown: unknown = await book.reserve(ask('a/web')).catch((error: unknown) => error);
    expect(isIpamError(thrown, 'store/unavailable')).toBe(true);
    const before = calls;
    await expect(book.reserve(ask('a/web'))).rejects.toMatchObject({ code: 'store/unavailable' });
    expect(calls - before).toBeLessThanOrEqual(1);
    weather = () => 'well';
    await new Promise((resolve) =>
      SYSTEM_CLOCK.after(250, () => {
        resolve(0);
      }),
    );
    granted(await book.reserve(ask('a/web')));
    expect(await world.tally()).toEqual({ held: 1, quarantined: 0 });
  });

  test('takes a full zone, a foreign claim and a limit for answers, and asks once', async () => {
    world.zones.become([{ name: 'z', prefixes: ['192.0.2.0/32'] }]);
    granted(await book.reserve(ask('a/web')));
    calls = 0;
    expect(refusal(await book.reserve(ask('a/db'))).code).toBe('pool/exhausted');
    expect(refusal(await book.reserve(ask('b/db', { at: '192.0.2.0' }))).code).toBe('address/held');
    expect(calls).toBe(2);
  });

  test('throws what its own login lacks, and names no token', async () => {
    const foreign = { ...ask('a/web'), claimant: claimant('a/web', { cluster: 'c2' }) };
    const thrown: unknown = await book.reserve(foreign).catch((error: unknown) => error);
    expect(isIpamError(thrown, 'api/forbidden')).toBe(true);
    expect(String(thrown)).not.toContain('token-of-c1');
  });
});
