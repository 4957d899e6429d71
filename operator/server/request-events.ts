import { STATUS_CODES } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../ports/clock';

/** One request that was answered, under the names of the original. Never a body, a query or a header that may hold a secret. */
export interface RequestEvent {
  readonly timestamp: string;
  readonly level: 'info' | 'error';
  readonly message: 'http request' | 'request error';
  readonly status: number;
  readonly method: string;
  readonly path: string;
  readonly ip: string;
  /** Milliseconds with the unit, for example `1.25ms`. */
  readonly response_time?: string;
  readonly response_time_ms?: number;
  readonly user_agent?: string;
  readonly error?: string;
}

/** Longest text that a caller chooses, in characters. */
const MOST_TEXT = 512;

/**
 * Tells each request of a server after its answer: one event `http request`, and one `request error` more where it was refused.
 *
 * @param app - instance that does not listen yet
 * @param clock - for the time of the events
 * @param tell - takes an event at once; must not throw
 */
export function tellRequests(app: FastifyInstance, clock: Clock, tell: (event: RequestEvent) => void): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status, elapsedTime } = reply;
    const timestamp = new Date(clock.nowMs()).toISOString();
    const about = { status, method: request.method, path: pathOf(request), ip: request.ip };
    const ms = Math.round(elapsedTime * 1_000) / 1_000;
    tell({
      timestamp,
      level: 'info',
      message: 'http request',
      ...about,
      response_time: `${ms}ms`,
      response_time_ms: ms,
      user_agent: (request.headers['user-agent'] ?? '').slice(0, MOST_TEXT),
    });
    if (status >= 400)
      tell({ timestamp, level: 'error', message: 'request error', error: STATUS_CODES[status] ?? '', ...about });
    done();
  });
}

function pathOf({ url }: FastifyRequest): string {
  return (url.split(/[?#]/u)[0] ?? '').slice(0, MOST_TEXT);
}
