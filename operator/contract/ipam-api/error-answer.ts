import { catalogueRow } from '../../errors/catalogue';
import { isIpamError, refusalOf } from '../../errors/ipam-error';
import type { Refusal } from '../../errors/outcome';

/** Seconds that a caller is asked to wait by default. */
const RETRY_AFTER_SECONDS = 5;

const NOT_JSON: Refusal = { code: 'api/malformed', message: 'the body is not valid JSON; send one JSON object' };
/**
 * Refusals for the HTTP server's own errors, by their codes. Their texts are never passed on: the JSON parser quotes the body, which holds a
 * secret.
 */
const SERVER_ERRORS: Readonly<Record<string, Refusal>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'api/too-large', message: 'the body is larger than this path takes' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'api/unsupported-media-type',
    message: 'the body is not announced as JSON; send the header "content-type: application/json"',
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'api/malformed', message: 'the body is empty; send one JSON object' },
  FST_ERR_CTP_INVALID_JSON_BODY: NOT_JSON,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'api/malformed',
    message: 'the body has another length than the header "content-length" says',
  },
  FST_ERR_BAD_URL: { code: 'api/malformed', message: 'the path is not a valid URL' },
};

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

/**
 * Says what an HTTP path answers to an error that reached the server: one of ours, one of the server's own, or a fault.
 *
 * @param error - whatever was thrown; `code` and `statusCode` are those of fastify
 * @returns the refusal, `internal` for faults; never with the text of a foreign error
 */
export function refusalOfHttp(error: Error & { readonly code?: string; readonly statusCode?: number }): Refusal {
  if (isIpamError(error)) return refusalOf(error);
  const known = SERVER_ERRORS[error.code ?? ''];
  if (known !== undefined) return known;
  const status = error.statusCode ?? 500;
  // The JSON parser's own error has a status and no code.
  return status >= 400 && status < 500 ? NOT_JSON : refusalOf(error);
}
