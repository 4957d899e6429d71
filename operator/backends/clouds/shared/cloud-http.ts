import { textOf } from '../../../contract/loose-json';
import { isIpamError } from '../../../errors/ipam-error';
import type { Tools } from '../../../ports/tools';
import { cloudFault, faultKindOf } from './cloud-fault';

/** One call of a cloud. */
export interface CloudCall {
  /** As the metric names it, for example `attach`. */
  readonly op: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A whole answer. */
export interface CloudAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Time of one call. */
const CALL_MS = 30_000;
/** Longest pause that a cloud may ask for. */
const MOST_REST_MS = 300_000;
const FIRST_REST_MS = 1_000;
const TOO_MANY = 429;
/** Longest answer that is read: the virtual network of Azure with 65,536 addresses has about 40 MB. */
const MOST_BYTES = 128 * 1024 * 1024;

/**
 * HTTP calls of one cloud. After a refusal for too many calls none of the same operation is sent until the time that the cloud asked for, or a
 * growing pause, has passed: clouds limit each operation for itself, and a list that is refused must not keep an address from moving. No redirect is followed, so that a login goes where it is meant to go alone. Safe for parallel calls; after `close` every call fails.
 */
export class CloudHttp {
  readonly #tools: Pick<Tools, 'clock' | 'meter'>;
  readonly #ended = new AbortController();
  /** Operations that the cloud refused for too many calls, until when they rest, and how often that came in a row. */
  readonly #rests = new Map<string, { readonly untilMs: number; readonly count: number }>();

  /**
   * Opens nothing yet.
   *
   * @param tools - clock and meter
   */
  constructor(tools: Pick<Tools, 'clock' | 'meter'>) {
    this.#tools = tools;
  }

  /**
   * Makes a call and counts how it ended.
   *
   * @param call - what is asked
   * @param judge - throws for an answer that is a failure
   * @returns what `judge` made of the answer
   * @throws IpamError `cloud/unavailable` without an answer, `cloud/throttled` for too many calls, or as `judge` does
   */
  async call<V>(call: CloudCall, judge: (answer: CloudAnswer) => V): Promise<V> {
    const { meter } = this.#tools;
    try {
      const value = judge(await this.#send(call));
      this.#rests.delete(call.op);
      meter.count('egressip_cloud_requests_total', { op: call.op, result: 'ok' });
      return value;
    } catch (thrown) {
      const kind = faultKindOf(thrown);
      meter.count('egressip_cloud_requests_total', { op: call.op, result: kind });
      throw thrown;
    }
  }

  /**
   * Makes the error of a refusal for too many calls, and holds back the calls that follow.
   *
   * @param refused - what the cloud did not do
   * @param refused.op - which rests from now on
   * @param refused.url - names the server in the message
   * @param answer - may tell for how long
   * @returns an error with the seconds to wait
   */
  throttled({ op, url }: Pick<CloudCall, 'op' | 'url'>, { headers }: Pick<CloudAnswer, 'headers'>): Error {
    const asked = Number(headers.get('retry-after') ?? Number.NaN);
    const count = this.#rests.get(op)?.count ?? 0;
    const restMs = Math.min(MOST_REST_MS, Number.isFinite(asked) ? 1000 * asked : FIRST_REST_MS * 2 ** count);
    this.#rests.set(op, { untilMs: this.#tools.clock.nowMs() + restMs, count: count + 1 });
    return cloudFault('throttled', `${op}: ${url.host} refuses, since there are too many calls`, seconds(restMs));
  }

  /**
   * Waits between two looks at something that takes its time.
   *
   * @param ms - until it is over
   */
  async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => this.#tools.clock.after(ms, resolve));
  }

  /** Ends the calls under way. */
  close(): void {
    this.#ended.abort();
  }

  async #send(call: CloudCall): Promise<CloudAnswer> {
    const { clock } = this.#tools;
    const { op, url, method, headers, body } = call;
    const leftMs = (this.#rests.get(op)?.untilMs ?? 0) - clock.nowMs();
    if (leftMs > 0) throw cloudFault('throttled', `${op}: ${url.host} rests after too many calls`, seconds(leftMs));
    const late = new AbortController();
    const disarm = clock.after(CALL_MS, () => {
      late.abort();
    });
    try {
      const signal = AbortSignal.any([late.signal, this.#ended.signal]);
      const answer = await fetch(url, {
        method,
        headers: { ...headers, 'user-agent': 'ipam-operator' },
        redirect: 'error',
        signal,
        ...(body === undefined ? {} : { body }),
      });
      const text = await textIn(answer);
      const read = { status: answer.status, headers: answer.headers, text };
      if (answer.status === TOO_MANY) throw this.throttled(call, read);
      return read;
    } catch (thrown) {
      throw this.#faultOf(call, thrown, late.signal.aborted);
    } finally {
      disarm();
    }
  }

  #faultOf({ op, url }: CloudCall, thrown: unknown, isLate: boolean): unknown {
    if (isLate) return cloudFault('unavailable', `${op}: ${url.host} gave no answer within ${String(CALL_MS)} ms`);
    if (this.#ended.signal.aborted) return cloudFault('unavailable', `${op}: the operator ends`);
    return isIpamError(thrown)
      ? thrown
      : cloudFault('unavailable', `${op}: no connection to ${url.host} (${reasonOf(thrown)})`);
  }
}

async function textIn(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    const part = chunk as Uint8Array;
    bytes += part.length;
    if (bytes > MOST_BYTES) throw cloudFault('unavailable', `${new URL(answer.url).host}: the answer is too long`);
    parts.push(decoder.decode(part, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

// `fetch` puts the cause below its own error, whose text says nothing
function reasonOf(thrown: unknown): string {
  const { cause } = thrown as { readonly cause?: { readonly code?: unknown } };
  return textOf(cause?.code) || 'the connection broke';
}
