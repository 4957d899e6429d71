import { judgeByToken } from '../../../operator/assembly/secure-metrics';
import { accept, refuse } from '../../../operator/errors/outcome';
import type { PathAccess } from '../../../operator/ports/token-access';
import { Health, registerHealth, registerMetrics } from '../../../operator/server/health';
import { createWebServer } from '../../../operator/server/https-server';
import { guardMetrics } from '../../../operator/server/metrics-guard';
import { ManualClock } from '../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';

const SCRAPER = 'scraper-token';
const STRANGER = 'stranger-token';

function world() {
  const clock = new ManualClock();
  const logger = new RecordedLogger();
  const asked: string[] = [];
  const access: PathAccess = {
    userOf: (token) => {
      asked.push('token');
      if (token !== SCRAPER && token !== STRANGER) {
        return Promise.resolve(refuse('api/unauthenticated', 'the token is not valid'));
      }
      return Promise.resolve(accept({ username: token.replace('-token', ''), uid: '', groups: [], extra: {} }));
    },
    allowsPath: ({ username }, { verb, path }) => {
      asked.push(`${username} ${verb} ${path}`);
      return Promise.resolve(username === 'scraper' ? accept(undefined) : refuse('api/forbidden', 'may not'));
    },
  };
  const { app } = createWebServer({ bodyLimitBytes: 1_024, clock, logger, meter: new RecordedMeter() });
  guardMetrics(app, judgeByToken(access, clock));
  registerMetrics(app, () => Promise.resolve({ contentType: 'text/plain', text: 'ipam_x 1\n' }));
  const get = (token?: string) =>
    app.inject({ url: '/metrics', headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
  return { clock, logger, asked, get };
}

describe('the metrics with a token', () => {
  test('EG-53 are for a caller with the right alone', async () => {
    const { get, asked } = world();
    for (const refused of [await get(), await get('unknown-token')])
      expect([refused.statusCode, refused.headers['www-authenticate']]).toEqual([401, 'Bearer realm="metrics"']);
    const forbidden = await get(STRANGER);
    expect([forbidden.statusCode, forbidden.headers['www-authenticate']]).toEqual([403, undefined]);
    const answer = await get(SCRAPER);
    expect([answer.statusCode, answer.body]).toEqual([200, 'ipam_x 1\n']);
    expect(asked).toEqual(['token', 'token', 'stranger get /metrics', 'token', 'scraper get /metrics']);
  });

  test('ask the API server again after ten seconds, not before', async () => {
    const { get, asked, clock } = world();
    await get(SCRAPER);
    clock.advance(9_999);
    await get(SCRAPER);
    expect(asked).toHaveLength(2);
    clock.advance(1);
    await get(SCRAPER);
    expect(asked).toHaveLength(4);
  });

  test('log the refusal without the token', async () => {
    const { get, logger } = world();
    await get('unknown-token');
    await get(STRANGER);
    const log = JSON.stringify(logger.lines);
    expect(log).toContain('api/forbidden');
    expect(log).not.toMatch(/unknown-token|stranger-token/u);
  });
});

test('the health paths have no metrics where no numbers are given', async () => {
  const clock = new ManualClock();
  const tools = { clock, logger: new RecordedLogger(), meter: new RecordedMeter() };
  const { app } = createWebServer({ bodyLimitBytes: 1_024, ...tools });
  registerHealth(app, { health: new Health(clock, []) });
  expect((await app.inject('/metrics')).statusCode).toBe(404);
  expect((await app.inject('/healthz')).statusCode).toBe(200);
});
