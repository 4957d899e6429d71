import type { IncomingMessage } from 'node:http';

import { isMap, textOf, type JsonMap } from '../../contract/loose-json';
import { IpamError, isIpamError } from '../../errors/ipam-error';
import type { Clock } from '../../ports/clock';
import type { ApiAnswer } from './api-client';
import { codeOf } from './credentials';

const SHOWN_CHARACTERS = 80;

/** Where a stream comes from, and how long it may be silent. */
export interface LineSource {
  /** For messages, for example `GET /api/v1/services`. */
  readonly what: string;
  readonly idleMs: number;
  readonly clock: Clock;
  /** Called once when the stream is over, however that came. */
  readonly ended: () => void;
}

/**
 * Reads a JSON object.
 *
 * @param text - what the server sent
 * @returns the object, `{}` for an empty text; undefined when it is none
 */
export function jsonObject(text: string): JsonMap | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Shows how a text begins that should have been JSON.
 *
 * @param text - for example the page of a proxy
 * @returns its first characters in quotes; nothing of a text that may be a broken object, which could hold a secret
 */
export function beginningOf(text: string): string {
  const start = text.trimStart();
  if (/^[{["]/u.test(start)) return 'broken JSON';
  const plain = start.slice(0, SHOWN_CHARACTERS).replaceAll(/\s+/gu, ' ');
  return `no JSON, but "${plain}${start.length > SHOWN_CHARACTERS ? '…' : ''}"`;
}

/** The part of an answer's headers that callers are told. */
interface AnswerHeaders {
  readonly retryAfterSeconds?: number | undefined;
  readonly serverTimeMs?: number | undefined;
}

/**
 * Reads the header `Date`.
 *
 * @param date - its text; undefined where there is none
 * @returns milliseconds since 1970; undefined for anything but a date
 */
export function serverTimeOf(date: string | undefined): number | undefined {
  const ms = Date.parse(date ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/**
 * Makes the answer of one call.
 *
 * @param status - HTTP status
 * @param body - what the server sent
 * @param headers - what its headers say: seconds to wait, and its time
 * @returns success with the object, or the refusal as the Status object gives it
 */
export function answerOf(status: number, body: JsonMap, headers: AnswerHeaders = {}): ApiAnswer {
  const { retryAfterSeconds, serverTimeMs } = headers;
  const time = serverTimeMs === undefined ? {} : { serverTimeMs };
  if (status >= 200 && status < 300) return { ok: true, status, body, ...time };
  return {
    ok: false,
    status,
    reason: textOf(body['reason']),
    message: textOf(body['message']),
    body,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...time,
  };
}

/**
 * Reads JSON objects line by line as they come.
 *
 * @param message - the answer whose body is read
 * @param source - its name and its longest silence
 * @yields each line's object
 * @throws IpamError `cluster/unavailable` when the connection breaks, is silent too long, or a line is no object
 */
export async function* jsonLines(message: IncomingMessage, source: LineSource): AsyncGenerator<JsonMap> {
  const { what, idleMs, clock, ended } = source;
  const silent = (): void => {
    message.destroy(new IpamError('cluster/unavailable', `${what} was silent for ${idleMs} ms`));
  };
  let disarm = clock.after(idleMs, silent);
  try {
    message.setEncoding('utf8');
    let rest = '';
    for await (const chunk of message) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      if (lines.length === 0) continue;
      disarm();
      disarm = clock.after(idleMs, silent);
      for (const line of lines.filter((text) => text !== '')) yield lineObject(line, what);
    }
    if (rest !== '') yield lineObject(rest, what);
  } catch (thrown) {
    if (isIpamError(thrown)) throw thrown;
    throw new IpamError('cluster/unavailable', `${what} broke (${codeOf(thrown)})`);
  } finally {
    disarm();
    message.destroy();
    ended();
  }
}

function lineObject(line: string, what: string): JsonMap {
  const value = jsonObject(line);
  if (value === undefined) throw new IpamError('cluster/unavailable', `${what} sent ${beginningOf(line)}`);
  return value;
}
