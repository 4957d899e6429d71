import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { IpamError } from '../../../errors/ipam-error';
import type { BackedUp, WireAnswer, WireChange, WireMessage, WireOrder, WireRequest, WireResults } from './wire';

/**
 * Lets a worker run the TypeScript sources: Node strips the types by itself, but resolves no import without extension and
 * takes `.ts` files of this CommonJS package for CommonJS. Only for tests and `tsx`, where no compiled worker exists.
 */
const RUN_FROM_SOURCE = `
const { existsSync, readFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const { fileURLToPath } = require('node:url');
const { workerData } = require('node:worker_threads');
registerHooks({
  resolve(name, context, next) {
    const url = name.startsWith('.') ? new URL(name + '.ts', context.parentURL) : undefined;
    return url && existsSync(url) ? { url: url.href, format: 'module-typescript', shortCircuit: true } : next(name, context);
  },
  load(url, context, next) {
    if (!url.endsWith('.ts')) return next(url, context);
    return { format: 'module-typescript', source: readFileSync(fileURLToPath(url)), shortCircuit: true };
  },
});
import(workerData.source);
`;

/** How the worker is started. */
export interface WorkerOptions {
  /** File of the store. */
  readonly path: string;
  /**
   * Compiled worker. Left out: `sqlite-worker.js` beside this file (in `lib/`, or as second entry beside a bundle), else the
   * TypeScript source beside this file.
   */
  readonly workerFile?: string;
  /**
   * Called with the number of requests whenever a group of them was answered.
   *
   * @default - there is no listener
   */
  readonly onGroup?: (requests: number) => void;
}

// node:sqlite calls itself experimental once per thread, on stderr
const QUIET = ['--disable-warning=ExperimentalWarning'];

function startWorker({ path, workerFile }: WorkerOptions): Worker {
  const compiled = workerFile ?? join(__dirname, 'sqlite-worker.js');
  if (workerFile !== undefined || existsSync(compiled))
    return new Worker(compiled, { workerData: { path }, execArgv: QUIET });
  const source = pathToFileURL(join(__dirname, 'sqlite-worker.ts')).href;
  return new Worker(RUN_FROM_SOURCE, { eval: true, workerData: { path, source }, execArgv: QUIET });
}

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: IpamError) => void;
}

/**
 * The main thread's end of the worker. What is asked while the worker is busy travels together once it has answered: a message
 * costs as much as several requests, and a transaction of many costs each of them less. Answers come in the order of the
 * requests. When the worker dies, everything that waits and everything later throws `store/unavailable`.
 */
export class WorkerThread {
  readonly #worker: Worker;
  readonly #path: string;
  readonly #tell: (changes: readonly WireChange[]) => void;
  readonly #onGroup: ((requests: number) => void) | undefined;
  readonly #waiting: Waiting[] = [];
  readonly #copies = new Map<string, Waiting>();
  #unsent: WireRequest[] = [];
  /** Requests that the worker has and did not answer yet. */
  #inFlight = 0;
  #isSending = false;
  #dead: IpamError | undefined;

  private constructor(options: WorkerOptions, tell: (changes: readonly WireChange[]) => void) {
    this.#path = options.path;
    this.#tell = tell;
    this.#onGroup = options.onGroup;
    this.#worker = startWorker(options);
  }

  /**
   * Starts the worker and waits until it has the file.
   *
   * @param options - file of the store, and where the worker's code is
   * @param tell - called with durable changes, before the request that made them is answered
   * @returns the running worker
   * @throws {@link IpamError} `store/locked`, `store/unavailable`, `store/schema`
   */
  static async start(options: WorkerOptions, tell: (changes: readonly WireChange[]) => void): Promise<WorkerThread> {
    const thread = new WorkerThread(options, tell);
    await thread.#opened();
    return thread;
  }

  /**
   * Asks the worker.
   *
   * @param request - one request; requests are served in the order of the calls
   * @returns its result, durable when it wrote
   * @throws {@link IpamError} `store/unavailable` when the worker died or the database failed
   */
  ask<R extends WireRequest>(request: R): Promise<WireResults[R['verb']]> {
    if (this.#dead !== undefined) return Promise.reject(this.#dead);
    this.#unsent.push(request);
    this.#sendSoon();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  /**
   * Copies the file as it is at one moment; requests are served meanwhile.
   *
   * @param path - where to; must not exist
   * @returns when the copy is complete
   * @throws {@link IpamError} `store/unavailable` when it cannot be written, or the worker died
   */
  backup(path: string): Promise<void> {
    if (this.#dead !== undefined) return Promise.reject(this.#dead);
    return new Promise((resolve, reject) => {
      this.#copies.set(path, { resolve, reject });
      this.#worker.postMessage({ kind: 'backup', path } satisfies WireOrder);
    });
  }

  /**
   * Waits for the end of the thread, after request `close`.
   *
   * @returns when the file is closed and unlocked
   */
  async ended(): Promise<void> {
    if (this.#dead === undefined) await new Promise((resolve) => this.#worker.once('exit', resolve));
  }

  // Not a microtask: then each webhook call, being an event of its own, would send a message of its own.
  #sendSoon(): void {
    if (this.#isSending || this.#inFlight > 0 || this.#unsent.length === 0) return;
    this.#isSending = true;
    setImmediate(() => {
      this.#isSending = false;
      this.#send();
    });
  }

  #send(): void {
    const requests = this.#unsent;
    this.#unsent = [];
    this.#inFlight = requests.length;
    if (this.#dead === undefined) this.#worker.postMessage({ kind: 'requests', requests } satisfies WireOrder);
  }

  #opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.on('message', (message: WireMessage) => {
        this.#receive(message);
      });
      this.#worker.on('error', (error: unknown) => {
        this.#die(error);
      });
      this.#worker.on('exit', () => {
        this.#die();
      });
    });
  }

  #receive(message: WireMessage): void {
    switch (message.kind) {
      case 'answers':
        this.#onGroup?.(message.answers.length);
        this.#inFlight -= message.answers.length;
        for (const answer of message.answers) this.#settle(answer);
        this.#sendSoon();
        return;
      case 'refused':
        this.#waiting.shift()?.reject(new IpamError(message.error.code, message.error.message));
        return;
      case 'backedUp':
        this.#endBackup(message);
        return;
      case 'opened':
        this.#waiting.shift()?.resolve(undefined as never);
    }
  }

  #settle(answer: WireAnswer): void {
    const asked = this.#waiting.shift();
    if (!answer.ok) {
      asked?.reject(new IpamError(answer.error.code, answer.error.message));
      return;
    }
    this.#tell(answer.changes);
    asked?.resolve(answer.result as never);
  }

  #endBackup({ path, problem }: BackedUp): void {
    const copy = this.#copies.get(path);
    this.#copies.delete(path);
    if (problem === undefined) copy?.resolve(undefined as never);
    else copy?.reject(new IpamError(problem.code, problem.message));
  }

  #die(cause?: unknown): void {
    const message = `the store "${this.#path}" is gone: its worker thread ended; restart the operator, answered claims are safe in the file`;
    this.#dead ??= new IpamError('store/unavailable', message, { cause });
    for (const asked of [...this.#waiting.splice(0), ...this.#copies.values()]) asked.reject(this.#dead);
    this.#copies.clear();
  }
}
