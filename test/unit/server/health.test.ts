import { CHECK_DEADLINE_MS, Health, registerHealth, type HealthCheck } from '../../../operator/server/health';
import { createWebServer } from '../../../operator/server/https-server';
import { ManualClock } from '../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';

const fine: HealthCheck = { name: 'store', run: () => undefined };
const bad: HealthCheck = { name: 'zones', run: () => Promise.resolve('no zone document') };

describe('Health', () => {
  test('is ready when every check is well', async () => {
    expect(await new Health(new ManualClock(), [fine]).report()).toEqual({ ready: true, checks: [{ name: 'store' }] });
  });

  test('names what is wrong', async () => {
    expect(await new Health(new ManualClock(), [fine, bad]).report()).toEqual({
      ready: false,
      checks: [{ name: 'store' }, { name: 'zones', problem: 'no zone document' }],
    });
  });

  test('FU-58 tells what an advice finds, and is ready all the same', async () => {
    const advice: HealthCheck = { name: 'netbox calls', run: () => 'NetBox takes no token', isAdvice: true };
    expect(await new Health(new ManualClock(), [fine, advice]).report()).toEqual({
      ready: true,
      checks: [{ name: 'store' }, { name: 'netbox calls', problem: 'NetBox takes no token' }],
    });
  });

  test('hides the text of a check that throws, since it could hold a secret', async () => {
    const broken: HealthCheck = { name: 'store', run: () => Promise.reject(new TypeError('password=correct-horse')) };
    expect(await new Health(new ManualClock(), [broken]).report()).toEqual({
      ready: false,
      checks: [{ name: 'store', problem: 'the check failed' }],
    });
  });

  test('does not wait for a check that hangs', async () => {
    const clock = new ManualClock();
    const hanging: HealthCheck = { name: 'store', run: () => new Promise(() => undefined) };
    const report = new Health(clock, [hanging]).report();
    clock.advance(CHECK_DEADLINE_MS);
    expect((await report).checks).toEqual([{ name: 'store', problem: 'no answer within 800 ms' }]);
  });

  test('is not ready once it drains, however well the checks are', async () => {
    const health = new Health(new ManualClock(), [fine]);
    health.startDraining();
    expect(await health.report()).toMatchObject({ ready: false, checks: [{}, { name: 'shutdown' }] });
  });

  test('leaves no timer behind', async () => {
    const clock = new ManualClock();
    await new Health(clock, [fine, bad]).report();
    expect(clock.waiting).toBe(0);
  });
});

describe('registerHealth', () => {
  const appWith = (health: Health) => {
    const { app } = createWebServer({
      bodyLimitBytes: 1_024,
      clock: new ManualClock(),
      logger: new RecordedLogger(),
      meter: new RecordedMeter(),
    });
    const exposition = () =>
      Promise.resolve({ contentType: 'text/plain; version=0.0.4; charset=utf-8', text: 'ipam_x 1\n' });
    registerHealth(app, { health, exposition });
    return app;
  };

  test('answers /healthz while the process answers at all', async () => {
    const answer = await appWith(new Health(new ManualClock(), [bad])).inject('/healthz');
    expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ok' }]);
  });

  test('answers /readyz with 200 when ready', async () => {
    const answer = await appWith(new Health(new ManualClock(), [fine])).inject('/readyz');
    expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ready', checks: [{ name: 'store' }] }]);
  });

  test('answers /readyz with 503 and the reason when not', async () => {
    const answer = await appWith(new Health(new ManualClock(), [bad])).inject('/readyz');
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toEqual({ status: 'not ready', checks: [{ name: 'zones', problem: 'no zone document' }] });
  });

  test('exposes the numbers at /metrics', async () => {
    const answer = await appWith(new Health(new ManualClock(), [])).inject('/metrics');
    expect([answer.headers['content-type'], answer.body]).toEqual([
      'text/plain; version=0.0.4; charset=utf-8',
      'ipam_x 1\n',
    ]);
  });
});
