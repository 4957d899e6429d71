import type { IncomingMessage } from 'node:http';
import {
  operation,
  pathOf,
  type AnswerBody,
  type CallOf,
  type OperationId,
} from '../../../contract/ipam-api/v3/operations';
import type { Problem } from '../../../contract/ipam-api/v3/problem-schema';
import { isMap, jsonOf } from '../../../contract/loose-json';
import { parseAnswer } from '../../../contract/ipam-api/v3/parse-call';
import { refusalOfProblem } from '../../../contract/ipam-api/v3/problem';
import { isErrorCode } from '../../../errors/catalogue';
import { IpamError } from '../../../errors/ipam-error';
import type { Outcome, Refusal } from '../../../errors/outcome';
import { HttpExchange, type ExchangeProps, type HttpAnswer, type HttpExchangeCall } from '../api-exchange';

/** Parts of a call: only those that its operation has, and a body that may be made anew for each try. */
export type V3CallParts<Id extends OperationId> = {
  readonly [Part in keyof CallOf<Id>]?: Part extends 'body'
    ? CallOf<Id>[Part] | (() => CallOf<Id>[Part])
    : CallOf<Id>[Part];
};

type QueryValue = string | number | boolean | undefined;

/** Answers that tell of a server that cannot answer now; the other problems are its answer. */
const OUTAGES: ReadonlySet<string> = new Set([
  ...[
    'store/unavailable',
    'store/deadline',
    'api/busy',
    'store/closed',
    'store/locked',
    'store/keys',
    'store/lost',
    'store/schema',
  ],
  ...['internal', 'api/rate-limit', 'api/timeout'],
]);
/** Problems of the connection between the two programs, which no user of ours can mend. */
const BROKEN = /^api\//u;

/**
 * Speaks version 3 of an IPAM-API: typed calls, refusals as values. Everything that may be sent twice is repeated while the
 * server is away, until the deadline.
 *
 * Safe for parallel calls. After `close` no new call may be made.
 */
export class V3Client {
  readonly #exchange: HttpExchange;

  /**
   * Opens nothing yet.
   *
   * @param props - target, login as `headers`, CA, clock, limits
   */
  constructor(props: Omit<ExchangeProps, 'isOutage'>) {
    this.#exchange = new HttpExchange({ ...props, isOutage });
  }

  /**
   * Calls an operation.
   *
   * @param id - which one
   * @param parts - members of path and query, body
   * @param callMs - milliseconds for the whole call with all tries; that of the exchange by default
   * @returns its answer, or the server's refusal
   * @throws IpamError `store/unavailable` while the server is away; with the code `api/…` when it takes no call of ours
   */
  async call<Id extends OperationId>(
    id: Id,
    parts: V3CallParts<Id>,
    callMs?: number,
  ): Promise<Outcome<AnswerBody<Id>>> {
    const answer = await this.#exchange.call({
      ...callOf(id, parts),
      ...(callMs === undefined ? {} : { callMs, attemptMs: callMs }),
    });
    const body = jsonOf(answer.text);
    if (answer.status >= 300) return { ok: false, refusal: expected(refusalOf(answer, body)) };
    const read = parseAnswer(id, answer.status, body);
    if (read.ok) return read;
    throw new IpamError(
      'store/unavailable',
      `${id}: the server answered ${answer.status} with a body that is not of version 3`,
    );
  }

  /**
   * Opens a stream.
   *
   * @param id - an operation whose answer is one
   * @param parts - members of the path
   * @param how - ends it, and the headers that go with it
   * @returns the answer, unread
   * @throws IpamError `store/unavailable`
   */
  async open<Id extends OperationId>(
    id: Id,
    parts: V3CallParts<Id>,
    how: { readonly signal: AbortSignal; readonly headers: Readonly<Record<string, string>> },
  ): Promise<IncomingMessage> {
    const { headers } = how;
    const message = await this.#exchange.open({ ...callOf(id, parts), headers }, how.signal);
    if (message.statusCode === 200) return message;
    message.resume();
    throw new IpamError('store/unavailable', `${id}: the server answered with status ${message.statusCode ?? 0}`);
  }

  /** Ends idle connections. */
  close(): void {
    this.#exchange.close();
  }
}

function callOf<Id extends OperationId>(id: Id, parts: V3CallParts<Id>): HttpExchangeCall {
  const { method, repeatable } = operation(id);
  const { params = {}, query = {} } = parts as {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
  };
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each !== undefined) search.append(name, String(each));
  }
  const path = pathOf(id, params) + (search.size === 0 ? '' : `?${search.toString()}`);
  const { body } = parts as { readonly body?: unknown };
  if (body === undefined) return { method, path, repeatable };
  const made = typeof body === 'function' ? () => JSON.stringify((body as () => unknown)()) : JSON.stringify(body);
  return { method, path, repeatable, body: made };
}

function isOutage(answer: HttpAnswer): boolean {
  const { status, text } = answer;
  if (status < 500 && status !== 429 && status !== 408) return false;
  const problem = jsonOf(text);
  const code = isMap(problem) ? problem['code'] : undefined;
  return typeof code !== 'string' || OUTAGES.has(code) || !isErrorCode(code);
}

function refusalOf({ status }: HttpAnswer, body: unknown): Refusal {
  const read = isMap(body) ? refusalOfProblem(body as unknown as Problem) : undefined;
  return read ?? { code: 'api/malformed', message: `the server answered with status ${status} and no problem details` };
}

function expected(refusal: Refusal): Refusal {
  if (!BROKEN.test(refusal.code)) return refusal;
  throw new IpamError(refusal.code, `the IPAM-API refused a call of this operator: ${refusal.message}`);
}
