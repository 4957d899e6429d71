import { textOf, type JsonMap } from '../../contract/loose-json';
import type { ApiRequest } from './api-client';
import { beginningOf } from './json-body';
import { NEVER_CONNECTED } from '../../errors/network-faults';

/** A try that gave no answer for the caller. */
export interface FailedAttempt {
  /** Part of a sentence: what the server or the network said. */
  readonly what: string;
  /** Whether the server may have done what was asked. */
  readonly acted: 'no' | 'perhaps';
  /** False where another try gives the same. */
  readonly again: boolean;
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * Judges an error of the network.
 *
 * @param code - Node's code of it
 * @returns the failed try
 */
export function networkFailure(code: string): FailedAttempt {
  return { what: `the connection failed (${code})`, acted: NEVER_CONNECTED.has(code) ? 'no' : 'perhaps', again: true };
}

/**
 * Judges an answer that is no decision of the API server.
 *
 * @param status - HTTP status
 * @param said - message of its Status object, or how the text begins
 * @param retryAfterSeconds - what it asked to wait
 * @returns the failed try
 */
export function serverFailure(status: number, said: string, retryAfterSeconds: number | undefined): FailedAttempt {
  const what = `the API server answered ${status}${said === '' ? '' : `: ${said.slice(0, 300)}`}`;
  // 429 is given before a request is looked at
  return { what, acted: status === 429 ? 'no' : 'perhaps', again: status === 429 || status >= 500, retryAfterSeconds };
}

/** Status of a refusal for the size of an object. */
export const TOO_LARGE = 413;

// The first by the limit of etcd, the second by that of the API server's connection to it.
const OVER_STORE_LIMIT = /request is too large|trying to send message larger than max/u;

/**
 * Tells the status of a decision. The API server passes the refusal of an object that is larger than etcd takes on as a fault of its own
 * (500), so that it would be tried again in vain.
 *
 * @param status - HTTP status
 * @param body - Status object that came with it
 * @returns 413 for such an object, else the status as it is
 */
export function decidedStatus(status: number, { message }: JsonMap): number {
  return status === 500 && OVER_STORE_LIMIT.test(textOf(message)) ? TOO_LARGE : status;
}

/**
 * Judges a body that is no JSON object.
 *
 * @param status - HTTP status
 * @param text - the body
 * @param retryAfterSeconds - what the server, or the proxy before it, asked to wait
 * @returns the failed try
 */
export function foreignFailure(status: number, text: string, retryAfterSeconds: number | undefined): FailedAttempt {
  return serverFailure(status, beginningOf(text), retryAfterSeconds);
}

/**
 * Tells whether a call may be sent again.
 *
 * @param request - the call
 * @param failure - how it failed
 * @returns false where the second one could do the thing twice: creates, and lists of JSON patch operations
 */
export function mayRepeat(request: ApiRequest, failure: FailedAttempt): boolean {
  if (!failure.again) return false;
  if (failure.acted === 'no') return true;
  return request.method !== 'POST' && request.contentType !== 'application/json-patch+json';
}
