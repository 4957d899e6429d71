import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { SplunkQueue } from './splunk-batches';
import type { Tools } from '../ports/tools';

/** Where events go, and under which names. */
export interface SplunkOptions extends Pick<Tools, 'clock' | 'meter'> {
  /** Scheme, host and port of the HTTP Event Collector. */
  readonly url: string;
  readonly tokenFile: string;
  /** Absent: the CA certificates of Node.js. */
  readonly caFile?: string;
  /** Absent: the index that the token has. */
  readonly index?: string;
  readonly source: string;
  readonly sourcetype: string;
  /** Name of this process, for example that of its Pod. */
  readonly host: string;
  /** Tells why Splunk takes nothing any more, or that it does again. */
  readonly onState?: (problem: string | undefined) => void;
  /** Number from 0 to 1 that spreads the pauses; random by default. */
  readonly spread?: () => number;
}

/** Differences of one kind of events. */
interface SplunkKind {
  /** In place of the sourcetype of the log. */
  readonly sourcetype?: string;
}

/** Sends log lines to Splunk beside the work, in batches. Safe to share; after `close` lines are left out. */
export interface SplunkSender {
  /** Takes one line of the log, or of another kind; returns at once. */
  write(line: string, kind?: SplunkKind): void;
  /** Sends what waits, as far as it goes within the time of a drain. Idempotent. */
  close(): Promise<void>;
}

/** Time that the first line of a batch waits for others. */
export const GATHER_MS = 1_000;
/** Largest batch; the collector takes 1 MB by default. */
const BATCH_BYTES = 512 * 1024;
/** Most bytes that wait, some ten thousand lines. */
export const QUEUE_BYTES = 8 * 1024 * 1024;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const ANSWER_MS = 10_000;
/** Time for the last batches when the process ends. */
export const FLUSH_MS = 5_000;
const PATH = '/services/collector/event';

/**
 * Opens the way to Splunk; nothing is sent before the first line.
 *
 * @param options - where to, names, clock, meter
 * @returns the sender
 */
export function openSplunk(options: SplunkOptions): SplunkSender {
  return new Sender(options);
}

class Sender implements SplunkSender {
  readonly #options: SplunkOptions;
  readonly #queue = new SplunkQueue(QUEUE_BYTES);
  /** A batch that was not taken yet; it goes before the queue. */
  #unsent: readonly string[] = [];
  #failures = 0;
  #cancelTimer: (() => void) | undefined;
  #sending: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #over = false;

  constructor(options: SplunkOptions) {
    this.#options = options;
  }

  write(line: string, kind: SplunkKind = {}): void {
    if (this.#closing !== undefined) return;
    const event = this.#eventOf(line, kind);
    if (event === undefined) return;
    const dropped = this.#queue.push(event);
    if (dropped > 0) this.#options.meter.count('splunk_events_total', { result: 'dropped' }, dropped);
    this.#later(GATHER_MS);
  }

  close(): Promise<void> {
    this.#closing ??= this.#flush();
    return this.#closing;
  }

  // Splunk's own time has fractions of a second; a line that is not ours gets the present.
  #eventOf(line: string, kind: SplunkKind): string | undefined {
    const { host, source, sourcetype, index, clock } = { ...this.#options, ...kind };
    const text = line.trim();
    if (text === '') return undefined;
    const { timestamp, ...event } = parsed(text);
    const written = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
    const time = (Number.isNaN(written) ? clock.nowMs() : written) / 1_000;
    return JSON.stringify({ time, host, source, sourcetype, ...(index === undefined ? {} : { index }), event });
  }

  #later(ms: number): void {
    if (this.#cancelTimer !== undefined || this.#sending !== undefined || this.#over) return;
    this.#cancelTimer = this.#options.clock.after(ms, () => {
      this.#cancelTimer = undefined;
      this.#sending = this.#sendAll().finally(() => {
        this.#sending = undefined;
        if (this.#unsent.length > 0 || this.#queue.length > 0) this.#later(this.#pauseMs());
      });
    });
  }

  // Grows twofold and is spread, so that many processes do not come back as one.
  #pauseMs(): number {
    const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    const spread = this.#options.spread ?? Math.random;
    return ms * (0.5 + spread() / 2);
  }

  async #sendAll(): Promise<void> {
    while (!this.#over) {
      if (this.#unsent.length === 0) this.#unsent = this.#queue.take(BATCH_BYTES);
      if (this.#unsent.length === 0) return;
      if (!(await this.#sendOnce(this.#unsent))) return;
      this.#unsent = [];
    }
  }

  // True when the batch is done with: taken, or of a form that no later try would mend.
  async #sendOnce(batch: readonly string[]): Promise<boolean> {
    const status = await post(this.#options, batch.join('\n'));
    const taken = Math.trunc(status / 100) === 2;
    const hopeless = status === 400 || status === 413;
    if (taken || hopeless) {
      this.#options.meter.count('splunk_events_total', { result: taken ? 'sent' : 'refused' }, batch.length);
      if (this.#failures > 0) this.#options.onState?.(undefined);
      this.#failures = 0;
      return true;
    }
    this.#failures++;
    this.#options.meter.count('splunk_failures_total');
    if (this.#failures === 1) this.#options.onState?.(status === 0 ? 'no answer' : `status ${status}`);
    return false;
  }

  async #flush(): Promise<void> {
    const { clock, meter } = this.#options;
    this.#cancelTimer?.();
    let stop: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      stop = clock.after(FLUSH_MS, resolve);
    });
    const rest = async (): Promise<void> => {
      await this.#sending;
      this.#cancelTimer?.();
      await this.#sendAll();
    };
    await Promise.race([rest(), late]);
    stop();
    this.#over = true;
    const lost = this.#unsent.length + this.#queue.length;
    if (lost > 0) meter.count('splunk_events_total', { result: 'dropped' }, lost);
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // a line of another form is an event all the same
  }
  return { message: text };
}

/**
 * Sends one batch.
 *
 * @param options - where to
 * @param body - events, one after the other
 * @returns HTTP status; 0 where no answer came, or a file cannot be read
 */
async function post(options: SplunkOptions, body: string): Promise<number> {
  const url = new URL(options.url.replace(/\/+$/u, '') + PATH);
  let headers: Record<string, string | number>;
  let ca: { ca?: string };
  try {
    // read each time: a renewal of the token changes the file
    const token = (await readFile(options.tokenFile, 'utf8')).trim();
    headers = { authorization: `Splunk ${token}`, 'content-length': Buffer.byteLength(body) };
    ca = options.caFile === undefined ? {} : { ca: await readFile(options.caFile, 'utf8') };
  } catch {
    return 0;
  }
  return new Promise((resolve) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, ...ca });
    const stop = options.clock.after(ANSWER_MS, () => request.destroy());
    const done = (status: number): void => {
      stop();
      resolve(status);
    };
    request.on('response', (answer) => {
      answer.resume();
      answer.on('close', () => {
        done(answer.complete ? (answer.statusCode ?? 0) : 0);
      });
    });
    request.on('error', () => {
      done(0);
    });
    request.end(body);
  });
}
