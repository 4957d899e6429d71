import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { parseAnswer } from '../../contract/ipam-api/v3/parse-call';
import {
  operation,
  pathOf,
  type AnswerBody,
  type CallOf,
  type OperationId,
} from '../../contract/ipam-api/v3/operations';
import { refusalOfProblem } from '../../contract/ipam-api/v3/problem';
import type { Problem } from '../../contract/ipam-api/v3/problem-schema';
import type { ErrorCode } from '../../errors/catalogue';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { jsonOf } from '../../contract/loose-json';

/** Where version 3 of the IPAM-API is. */
export interface Endpoint {
  /** Scheme, host, port and path in front of `/v3`; the host counts for nothing with a socket. */
  readonly url: URL;
  readonly socketPath?: string;
  readonly token?: string;
  readonly ca?: string;
  readonly timeoutMs: number;
}

/** A call: only the parts that its operation has. */
type Call<Id extends OperationId> = Partial<CallOf<Id>>;

/** One answer as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** Speaks version 3 of the IPAM-API, and reads the health pages beside it. Opens a connection for each call. */
export interface ApiCaller {
  /** True where the admin socket of the operator is called, which serves more than version 3. */
  readonly isLocal: boolean;
  /** Calls an operation; every failure is a refusal. */
  call<Id extends OperationId>(id: Id, call: Call<Id>): Promise<Outcome<AnswerBody<Id>>>;
  /** Reads a page outside of version 3, for example `/readyz`. */
  page(path: string): Promise<Outcome<RawAnswer>>;
  /** Does what only the admin socket does; every failure is a refusal. */
  act(path: string): Promise<Outcome<unknown>>;
  /** Opens a body that is too large to hold; the caller reads it to its end. */
  open(path: string): Promise<Outcome<IncomingMessage>>;
}

/** Largest answer that is read into memory. */
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;

/**
 * Prepares calls to one server.
 *
 * @param endpoint - where it is, and how to log in
 * @returns what makes them
 */
export function apiCaller(endpoint: Endpoint): ApiCaller {
  const open = (path: string): Promise<Outcome<IncomingMessage>> => send(endpoint, { method: 'GET', path });
  return {
    isLocal: endpoint.socketPath !== undefined,
    call: async (id, call) => {
      const answer = await send(endpoint, { method: operation(id).method, ...target(id, call) });
      return answer.ok ? readAnswer(id, await wholeText(answer.value)) : answer;
    },
    page: async (path) => {
      const answer = await open(path);
      return answer.ok ? wholeText(answer.value) : answer;
    },
    act: async (path) => {
      const answer = await send(endpoint, { method: 'POST', path });
      return answer.ok ? readActed(await wholeText(answer.value)) : answer;
    },
    open,
  };
}

function target<Id extends OperationId>(id: Id, call: Call<Id>): { readonly path: string; readonly body?: string } {
  const { params, query, body } = call as {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string | number | boolean>>;
    readonly body?: unknown;
  };
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) search.append(name, String(value));
  const path = pathOf(id, params ?? {}) + (search.size === 0 ? '' : `?${search.toString()}`);
  return body === undefined ? { path } : { path, body: JSON.stringify(body) };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

function send(endpoint: Endpoint, { method, path, body }: Sent): Promise<Outcome<IncomingMessage>> {
  const { url, socketPath, token, ca, timeoutMs } = endpoint;
  const options: RequestOptions & { ca?: string } = {
    method,
    path: url.pathname.replace(/\/+$/u, '') + path,
    headers: {
      host: url.host,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    },
    // the time without any byte; a large answer may take longer as a whole
    timeout: timeoutMs,
    agent: false,
    ...(socketPath === undefined
      ? { hostname: url.hostname.replace(/^\[|\]$/gu, ''), port: url.port }
      : { socketPath }),
    ...(ca === undefined ? {} : { ca }),
  };
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(options, (answer) => {
      resolve(accept(answer));
    });
    request.on('timeout', () => request.destroy(Object.assign(new TypeError('timeout'), { code: 'ETIMEDOUT' })));
    request.on('error', (error) => {
      resolve(unanswered(endpoint, error));
    });
    request.end(body);
  });
}

// Waiting does not help against what stands in a certificate.
function unanswered(endpoint: Endpoint, error: Error): Outcome<never> {
  const distrust = DISTRUST[(error as NodeJS.ErrnoException).code ?? ''];
  if (distrust !== undefined) return refuse('settings/invalid', `${placeOf(endpoint)} is not trusted: ${distrust}`);
  return refuse('store/unavailable', `${placeOf(endpoint)} gives no answer (${reasonOf(error)})`);
}

const UNKNOWN_CA = 'its certificate is of no known CA; give that with --ca-file';
const DISTRUST: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_CA,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_CA,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_CA,
  CERT_SIGNATURE_FAILURE: UNKNOWN_CA,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for other names than the one in --server',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; is the clock of this machine right?',
};

function placeOf({ url, socketPath }: Endpoint): string {
  return socketPath === undefined ? `the IPAM-API "${url.origin}"` : `the admin socket "${socketPath}"`;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such socket; is the operator running here, or is --server missing?',
  ECONNREFUSED: 'nothing listens there',
  EACCES: 'this user may not open it; it is for the user of the operator',
  ETIMEDOUT: 'no byte in time',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNRESET: 'it ended the connection',
  EPROTO: 'it does not speak TLS there; is the port right?',
};

function reasonOf(error: Error): string {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
  return REASONS[code] ?? code;
}

/**
 * Reads an answer to its end.
 *
 * @param answer - whose body was not read yet
 * @returns status and text; a refusal where it breaks off
 */
export async function wholeText(answer: IncomingMessage): Promise<Outcome<RawAnswer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) return refuse('api/too-large', 'the answer is larger than 512 MiB; ask for less');
      chunks.push(chunk);
    }
  } catch (error) {
    return refuse('store/unavailable', `the answer broke off (${reasonOf(error as Error)})`);
  }
  return accept({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
}

function readAnswer<Id extends OperationId>(id: Id, raw: Outcome<RawAnswer>): Outcome<AnswerBody<Id>> {
  if (!raw.ok) return raw;
  const { status, text } = raw.value;
  const body = jsonOf(text);
  if (status >= 200 && status < 300) {
    const answer = parseAnswer(id, status, body);
    if (answer.ok) return answer;
    return refuse('internal', `the server answered ${status} with a body that is not the one of version 3`);
  }
  return { ok: false, refusal: refusalOfAnswer(status, body) };
}

function readActed(raw: Outcome<RawAnswer>): Outcome<unknown> {
  if (!raw.ok) return raw;
  const { status, text } = raw.value;
  const body = jsonOf(text);
  return status === 200 ? accept(body) : { ok: false, refusal: refusalOfAnswer(status, body) };
}

/**
 * Reads why a call was not served.
 *
 * @param status - HTTP status
 * @param body - parsed body, if it is JSON
 * @returns the refusal of the server, or one made from the status
 */
export function refusalOfAnswer(status: number, body: unknown) {
  const problem = typeof body === 'object' && body !== null ? (body as Partial<Problem>) : {};
  const told = typeof problem.code === 'string' && typeof problem.detail === 'string';
  const refusal = told ? refusalOfProblem(problem as Problem) : undefined;
  if (refusal !== undefined) return refusal;
  const message = `the server answered with status ${status}${told ? ` and code "${problem.code ?? ''}"` : ''}`;
  return { code: codeOfStatus(status), message } as const;
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 404) return 'api/not-found';
  if (status === 401 || status === 403) return 'api/anonymous';
  return status >= 500 || status === 429 ? 'store/unavailable' : 'api/malformed';
}
