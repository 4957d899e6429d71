import { catalogueRow } from '../../errors/catalogue';
import type { Refusal } from '../../errors/outcome';

/** Seconds that a caller is asked to wait where nobody knows better. */
const RETRY_AFTER_SECONDS = 5;

/** Body of every error: `message` is what the original sends, `code` lets a program tell the cases apart. */
interface ErrorBody {
  readonly message: string;
  readonly code: string;
}

/** One error, ready to be sent. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

/**
 * Writes a refusal as the IPAM-API and every other HTTP path of the operator answers it.
 *
 * @param refusal - what was refused and why
 * @returns status and headers of the catalogue's row, and the body; a new try is announced by `retry-after`
 */
export function errorAnswer(refusal: Refusal): ErrorAnswer {
  const { http, retry } = catalogueRow(refusal.code);
  const again =
    refusal.retryAfterSeconds ??
    (retry === 'backoff' && (http === 503 || http === 429) ? RETRY_AFTER_SECONDS : undefined);
  return {
    status: http,
    headers: again === undefined ? {} : { 'retry-after': String(Math.ceil(again)) },
    body: { message: refusal.message, code: refusal.code },
  };
}
