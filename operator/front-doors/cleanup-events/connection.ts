import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../../ports/clock';

/** Where events come from. */
export interface EventSource {
  readonly url: string;
  /** Absent: no login. */
  readonly tokenFile?: string;
  /** Absent: the CA certificates of Node.js. */
  readonly caFile?: string;
}

/** An open stream, or why there is none. */
export type OpenedEvents =
  | { readonly ok: true; readonly chunks: AsyncIterable<Uint8Array> }
  | {
      readonly ok: false;
      /** HTTP status; 0 where no answer came. */
      readonly status: number;
      readonly problem: string;
    };

/** How a stream is opened. */
export interface OpenEvents {
  readonly lastId: string;
  readonly clock: Clock;
  /** Ends the stream. */
  readonly signal: AbortSignal;
}

/** Time for the answer to begin. */
const ANSWER_MS = 30_000;
/** Silence after which a connection counts as dead; servers send comments in between. */
export const SILENCE_MS = 300_000;
const EVENT_STREAM = /^text\/event-stream\b/iu;

/**
 * Opens the stream. A redirect is not followed, since the token would go with it.
 *
 * @param source - where it is
 * @param options - where to go on, clock, end
 * @returns its chunks, whose iteration ends without an error however the connection ends; or the reason
 */
export async function connectEvents(source: EventSource, options: OpenEvents): Promise<OpenedEvents> {
  const login = await readLogin(source);
  if (login === undefined)
    return { ok: false, status: 0, problem: 'the file of the token or of the CA cannot be read' };
  const { lastId, clock, signal } = options;
  const url = new URL(source.url);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send(url, {
    headers: {
      accept: 'text/event-stream',
      'cache-control': 'no-store',
      ...login.headers,
      // ids may hold any character, a header only some
      ...(lastId === '' ? {} : { 'last-event-id': Buffer.from(lastId, 'utf8').toString('latin1') }),
    },
    ...(login.ca === undefined ? {} : { ca: login.ca }),
    agent: false,
    signal,
  });
  return new Promise((resolve) => {
    const stop = clock.after(ANSWER_MS, () => request.destroy());
    request.on('error', (error: NodeJS.ErrnoException) => {
      stop();
      resolve({ ok: false, status: 0, problem: error.code ?? 'no answer' });
    });
    request.on('response', (answer) => {
      stop();
      resolve(opened(answer, clock));
    });
    request.end();
  });
}

function opened(answer: IncomingMessage, clock: Clock): OpenedEvents {
  const status = answer.statusCode ?? 0;
  const stream = EVENT_STREAM.test(answer.headers['content-type'] ?? '');
  if (status === 200 && stream) return { ok: true, chunks: chunksOf(answer, clock) };
  answer.destroy();
  return { ok: false, status, problem: status === 200 ? 'the answer is no stream of events' : 'the server refuses' };
}

async function* chunksOf(answer: IncomingMessage, clock: Clock): AsyncIterable<Uint8Array> {
  const guard = (): (() => void) => clock.after(SILENCE_MS, () => answer.destroy());
  let cancel = guard();
  try {
    for await (const chunk of answer as AsyncIterable<Uint8Array>) {
      cancel();
      yield chunk;
      cancel = guard();
    }
  } catch {
    // a connection that breaks is one that ends: the next one goes on after the last id
  } finally {
    cancel();
    answer.destroy();
  }
}

async function readLogin({ tokenFile, caFile }: EventSource) {
  try {
    const token = tokenFile === undefined ? undefined : (await readFile(tokenFile, 'utf8')).trim();
    return {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      ca: caFile === undefined ? undefined : await readFile(caFile, 'utf8'),
    };
  } catch {
    return undefined;
  }
}
