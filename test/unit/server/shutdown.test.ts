import { Agent } from 'node:http';
import { Health, registerHealth } from '../../../operator/server/health';
import { createWebServer, type WebServer } from '../../../operator/server/https-server';
import { DRAIN_LIMIT_SECONDS, drain } from '../../../operator/server/shutdown';
import { call, type Answer } from '../../support/loopback';
import { ManualClock } from '../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';

const DELAY_SECONDS = 5;

describe('drain', () => {
  let clock: ManualClock;
  let logger: RecordedLogger;
  let health: Health;
  let work: WebServer;
  let probes: WebServer;
  let port: number;
  let probePort: number;
  let finish: () => void;
  let begun: Promise<void>;
  let agent: Agent;

  beforeEach(async () => {
    clock = new ManualClock();
    logger = new RecordedLogger();
    health = new Health(clock, []);
    const options = { bodyLimitBytes: 1_024, clock, logger, meter: new RecordedMeter() };
    [work, probes] = [createWebServer(options), createWebServer(options)];
    let begin: () => void;
    begun = new Promise((resolve) => (begin = resolve));
    const gate = new Promise<void>((resolve) => (finish = resolve));
    work.app.get('/', () => 'here');
    work.app.get('/slow', async () => {
      begin();
      await gate;
      return 'finished';
    });
    registerHealth(probes.app, { health, exposition: () => Promise.resolve({ contentType: 'text/plain', text: '' }) });
    ({ port } = await work.listen({ host: '127.0.0.1', port: 0 }));
    ({ port: probePort } = await probes.listen({ host: '127.0.0.1', port: 0 }));
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
  });

  afterEach(async () => {
    agent.destroy();
    finish();
    await Promise.all([work.close(), probes.close()]);
  });

  const start = (): Promise<void> =>
    drain({ health, servers: [work], probes, delaySeconds: DELAY_SECONDS, clock, logger });

  test('WH-11 is not ready first, and still answers everything for the delay', async () => {
    const drained = start();
    const answers = await Promise.all([
      call({ port: probePort, path: '/readyz' }),
      call({ port }),
      call({ port, agent }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([503, 200, 200]);
    clock.advance(DELAY_SECONDS * 1_000);
    await drained;
  });

  test('WH-11 ends each kept-alive connection with its next answer', async () => {
    const before = await call({ port, agent });
    const drained = start();
    const during = await call({ port, agent });
    expect([before, during].map(({ headers }) => headers.connection)).toEqual(['keep-alive', 'close']);
    clock.advance(DELAY_SECONDS * 1_000);
    await drained;
  });

  test('WH-11 keeps no connection that is opened during the delay', async () => {
    const drained = start();
    expect((await call({ port, agent })).headers.connection).toBe('close');
    clock.advance(DELAY_SECONDS * 1_000);
    await drained;
  });

  test('WH-11 finishes a request that runs when listening ends', async () => {
    const slow = call({ port, path: '/slow' });
    await begun;
    const drained = start();
    clock.advance(DELAY_SECONDS * 1_000);
    await expect(refused(port)).resolves.toBe(true);
    finish();
    expect(await slow).toMatchObject({ status: 200, text: 'finished' });
    await drained;
  });

  test('takes no connection once it is done', async () => {
    const drained = start();
    clock.advance(DELAY_SECONDS * 1_000);
    await drained;
    expect([await refused(port), await refused(probePort)]).toEqual([true, true]);
  });

  test('keeps the probes until the work has ended', async () => {
    const slow = call({ port, path: '/slow' });
    await begun;
    const drained = start();
    clock.advance(DELAY_SECONDS * 1_000);
    expect((await call({ port: probePort, path: '/readyz' })).status).toBe(503);
    finish();
    await Promise.all([slow, drained]);
  });

  test('cuts a request that never finishes', async () => {
    const slow = call({ port, path: '/slow' }).catch((error: unknown) => error);
    await begun;
    const drained = start();
    clock.advance(DELAY_SECONDS * 1_000);
    await expect(refused(port)).resolves.toBe(true);
    clock.advance(DRAIN_LIMIT_SECONDS * 1_000);
    await drained;
    expect(await slow).toMatchObject({ code: 'ECONNRESET' });
    expect(logger.lines.map(({ level }) => level)).toContain('warn');
  });

  test('WH-11 loses no request of callers that stop when they hear "not ready"', async () => {
    const answers: Answer[] = [];
    let ready = true;
    const caller = async (): Promise<void> => {
      const own = new Agent({ keepAlive: true, maxSockets: 1 });
      while (ready) answers.push(await call({ port, agent: own }));
      own.destroy();
    };
    const callers = Promise.all(Array.from({ length: 6 }, caller));
    while (answers.length < 100) await new Promise((resolve) => setImmediate(resolve));
    const drained = start();
    expect((await call({ port: probePort, path: '/readyz' })).status).toBe(503);
    const heard = answers.length;
    while (answers.length < heard + 50) await new Promise((resolve) => setImmediate(resolve));
    ready = false;
    await callers;
    clock.advance(DELAY_SECONDS * 1_000);
    await drained;
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });

  /** Waits until a new connection is refused. */
  async function refused(at: number): Promise<boolean> {
    for (let tries = 0; tries < 1_000; tries++) {
      const outcome = await call({ port: at, path: '/' }).catch((error: unknown) => error as NodeJS.ErrnoException);
      if ('code' in outcome && outcome.code === 'ECONNREFUSED') return true;
    }
    return false;
  }
});
