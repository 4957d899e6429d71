import fastify from 'fastify';

import { WEBHOOK_PATHS } from '../../../operator/contract/group';
import { addReviewRoute, readReviews } from '../../../operator/reviews/review-routes';
import { createLogger } from '../../../operator/telemetry/pino-logger';
import { ManualClock } from '../../support/manual-clock';
import { RecordedMeter } from '../../support/recorded-telemetry';
import { review, service } from '../../support/review-builder';

const clock = new ManualClock();
const QUOTING = 'Unexpected token in {"secret":"correct-horse"}';
const PLACE = /^at .*review-routes\.test\.ts:\d+:\d+/u;

/** The logger of the process, with its lines. */
function realLogger() {
  const lines: string[] = [];
  const logger = createLogger({ level: 'debug', clock, destination: { write: (line) => lines.push(line) } });
  return { logger, lines };
}

describe('addReviewRoute', () => {
  test('logs name and place of a fault that nothing else caught', async () => {
    const { logger, lines } = realLogger();
    const app = fastify();
    readReviews(app, { logger, meter: new RecordedMeter() });
    addReviewRoute(
      app,
      { clock, meter: new RecordedMeter(), logger },
      {
        path: WEBHOOK_PATHS.mutate,
        subject: 'service',
        judge: () => Promise.reject(new RangeError(QUOTING)),
      },
    );
    const headers = { 'content-type': 'application/json' };
    const payload = JSON.stringify(review({ object: service() }));
    const answer = await app.inject({ method: 'POST', url: WEBHOOK_PATHS.mutate, payload, headers });
    expect(answer.json()).toMatchObject({ response: { allowed: false, status: { code: 500 } } });
    expect(JSON.parse(lines.find((line) => line.includes('review failed')) ?? '')).toMatchObject({
      code: 'internal',
      error: 'RangeError',
      trace: expect.stringMatching(PLACE) as string,
    });
    expect(lines.join('') + answer.body).not.toContain('correct-horse');
    expect(lines.join('')).not.toContain('dropped');
  });
});
