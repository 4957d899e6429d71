import type { JsonMap } from '../../contract/loose-json';

/** One call of the Kubernetes API. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From the root, with escaped segments; made by `apiPath`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** `application/json` by default; a PATCH must say which kind it is. */
  readonly contentType?:
    | 'application/json'
    | 'application/merge-patch+json'
    | 'application/json-patch+json'
    | 'application/apply-patch+yaml';
  /** Ends the call from outside. */
  readonly signal?: AbortSignal;
  /** Whole time with all retries, in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number;
}

/** Answer of the API server: an object, or a refusal as it gave it. */
export type ApiAnswer =
  | {
      readonly ok: true;
      readonly status: number;
      readonly body: JsonMap;
      /** Time of the answer by the server's own clock, milliseconds since 1970, to the second; absent where it told none. */
      readonly serverTimeMs?: number;
    }
  | {
      readonly ok: false;
      readonly status: number;
      /** `reason` of the Status object, for example `NotFound`, `AlreadyExists`, `Conflict`, `Expired`; empty when there is none. */
      readonly reason: string;
      readonly message: string;
      readonly body: JsonMap;
      /** Seconds that the server asked to wait. */
      readonly retryAfterSeconds?: number;
      /** As for a success. */
      readonly serverTimeMs?: number;
    };

/**
 * JSON in, JSON out. Every answer of the server that is no 2xx is a value, but for 429 and 503 with retries left, which are waited
 * for as `Retry-After` says, and for 5xx after them. Safe for parallel calls.
 */
export interface ApiClient {
  /**
   * Calls once, within the token bucket.
   *
   * @throws IpamError `cluster/unavailable` when no answer came, or none but 429 and 5xx, within the time
   */
  request(request: ApiRequest): Promise<ApiAnswer>;
  /**
   * Opens a stream of JSON lines (watch). Ends when the server closes it; throws `cluster/unavailable` when the connection breaks
   * or no line came for two minutes. A refusal before the first line comes as an answer.
   */
  stream(request: ApiRequest): Promise<ApiAnswer | AsyncIterable<JsonMap>>;
  /** Lets go of connections; calls under way end with `cluster/unavailable`. */
  close(): Promise<void>;
}
