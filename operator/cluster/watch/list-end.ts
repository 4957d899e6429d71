import type { ApiAnswer } from '../api/api-client';

/** A list or a watch that failed. */
export interface Failed {
  readonly as: 'failed';
  readonly why: string;
  readonly retryAfterSeconds?: number | undefined;
}

/** How one list or one watch ended; `reset`: the server is older than what was seen of it. */
export type Ended =
  | Failed
  | { readonly as: 'listed' }
  | { readonly as: 'reset' }
  | { readonly as: 'closed' }
  | { readonly as: 'expired' };

/**
 * Tells what the API server refused.
 *
 * @param answer - its refusal
 * @returns the failure in one sentence
 */
export function refusal(answer: ApiAnswer & { readonly ok: false }): Failed {
  const { status, reason, message, retryAfterSeconds } = answer;
  const why = `the API server answered ${status}${reason === '' ? '' : ` ${reason}`}: ${message}`;
  return { as: 'failed', why, retryAfterSeconds };
}
