import { isMap, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { isIpamError } from '../../errors/ipam-error';
import { traceOf } from '../../errors/trace';
import type { Meter } from '../../ports/meter';
import type { ObjectChange } from '../../ports/object-feed';
import type { Tools } from '../../ports/tools';
import type { ApiAnswer, ApiClient } from '../api/api-client';
import { listAll } from './listing';
import { Listeners } from './listeners';
import { ObjectStore } from './object-store';
import { backoffMs } from '../../runtime/retry-pause';
import { pause } from '../../runtime/token-bucket';

/** Longest time without a live watch that is no problem yet. */
const PROBLEM_AFTER_MS = 60_000;

const BACKOFF = { firstMs: 500, mostMs: 30_000 };
/** Clients of a server that restarts come back spread over this time. */
const RECONNECT_MS = 1_000;
/** The server ends a watch after this time and up to the same again, so that watches do not end all at once. */
const WATCH_SECONDS = 300;
/** A watch that was open for so long was no failure. */
const STEADY_MS = 10_000;
const GONE = 410;
/** Refusals in a row after which the version itself is doubted, for example when the store was restored from a backup. */
const DOUBTFUL_REFUSALS = 2;

/** What is watched and with what. */
export interface ListWatchOptions extends Pick<Tools, 'clock' | 'logger'> {
  readonly client: ApiClient;
  readonly path: string;
  /** Plural name, for messages and metrics. */
  readonly resource: string;
  /** Selectors. */
  readonly query: Readonly<Record<string, string>>;
  /** Must not throw. */
  readonly trim: (object: JsonMap, type?: JsonMap) => JsonMap;
  readonly meter?: Meter | undefined;
  readonly random?: (() => number) | undefined;
}

/** How one list or one watch ended. */
interface Failed {
  readonly as: 'failed';
  readonly why: string;
  readonly retryAfterSeconds?: number | undefined;
}
type Ended = Failed | { readonly as: 'listed' } | { readonly as: 'closed' } | { readonly as: 'expired' };

/**
 * Keeps a store of objects up to date: lists, watches from the version of the list, and comes back from every failure with
 * growing pauses. One loop; `stop` is final.
 */
export class ListWatch {
  readonly store = new ObjectStore();
  readonly listeners: Listeners;
  readonly firstList: Promise<void>;
  readonly #options: ListWatchOptions;
  readonly #stopping = new AbortController();
  readonly #loop: Promise<void>;
  #firstListed: (() => void) | undefined;
  #synced = false;
  #version: string | undefined;
  #liveSinceMs: number | undefined;
  #downSinceMs: number;
  #lastFailure = '';
  #failures = 0;
  #refusals = 0;

  /**
   * Starts the loop.
   *
   * @param options - what is watched and with what
   */
  constructor(options: ListWatchOptions) {
    this.#options = options;
    const { logger, meter, resource, clock } = options;
    this.listeners = new Listeners({ logger, meter, resource });
    this.#downSinceMs = clock.nowMs();
    this.firstList = new Promise((resolve) => {
      this.#firstListed = resolve;
    });
    this.#loop = this.#run();
  }

  /**
   * Tells whether a list was complete once.
   *
   * @returns true from then on
   */
  synced(): boolean {
    return this.#synced;
  }

  /**
   * Tells how far the store is.
   *
   * @returns resource version of the newest list, event or bookmark, whose changes were told; undefined while there is none
   */
  version(): string | undefined {
    return this.#version;
  }

  /**
   * Tells why the store may be old.
   *
   * @returns a sentence when no watch was open for a minute; undefined otherwise
   */
  problem(): string | undefined {
    const { resource, clock } = this.#options;
    if (this.#stopping.signal.aborted) return `the watch of ${resource} was stopped`;
    if (this.#liveSinceMs !== undefined) return undefined;
    if (clock.nowMs() - this.#downSinceMs <= PROBLEM_AFTER_MS) return undefined;
    const since = new Date(this.#downSinceMs).toISOString();
    return `${resource} have not been watched since ${since}${this.#lastFailure === '' ? '' : `: ${this.#lastFailure}`}`;
  }

  /**
   * Ends the loop; no listener is called any more.
   *
   * @returns when nothing is under way
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.listeners.clear();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    // the first step waits a moment, so that who opens the feed can listen before anything comes
    await Promise.resolve();
    while (!signal.aborted) {
      const ended = await this.#step();
      const ms = this.#pauseAfter(ended);
      if (ms > 0) await pause(this.#options.clock, ms, signal);
    }
  }

  async #step(): Promise<Ended> {
    try {
      return this.#version === undefined ? await this.#list() : await this.#watch(this.#version);
    } catch (thrown) {
      if (this.#stopping.signal.aborted) return { as: 'closed' };
      this.#count(this.#version === undefined ? 'failed' : 'broken');
      const why = isIpamError(thrown) ? thrown.message : `a fault of the program at ${traceOf(thrown)}`;
      const retryAfterSeconds = isIpamError(thrown) ? thrown.retryAfterSeconds : undefined;
      return { as: 'failed', why, retryAfterSeconds };
    } finally {
      this.#watchEnded();
    }
  }

  #watchEnded(): void {
    if (this.#liveSinceMs === undefined) return;
    this.#downSinceMs = this.#options.clock.nowMs();
    // a quiet resource gives no event that would show that all is well
    if (this.#downSinceMs - this.#liveSinceMs >= STEADY_MS) this.#failures = 0;
    this.#liveSinceMs = undefined;
  }

  #pauseAfter(ended: Ended): number {
    const { random = Math.random, logger, resource } = this.#options;
    if (ended.as === 'listed') return 0;
    if (ended.as === 'closed') return random() * RECONNECT_MS;
    this.#failures += 1;
    if (ended.as === 'expired') {
      this.#version = undefined;
      // once is daily business; again and again it would be a storm of lists
      return this.#failures === 1 ? 0 : backoffMs(BACKOFF, this.#failures - 1, random());
    }
    const ms = Math.max(backoffMs(BACKOFF, this.#failures, random()), (ended.retryAfterSeconds ?? 0) * 1000);
    this.#lastFailure = ended.why;
    logger.warn('watch failed, trying again', { resource, why: ended.why, ms: Math.round(ms) });
    return ms;
  }

  async #list(): Promise<Ended> {
    const { client, path, query, trim } = this.#options;
    const listed = await listAll({ client, path, query, trim, signal: this.#stopping.signal });
    if (this.#stopping.signal.aborted) return { as: 'closed' };
    if (!listed.ok) {
      this.#count(listed.answer.status === GONE ? 'expired' : 'failed');
      return refusal(listed.answer);
    }
    this.#count('ok');
    this.#version = listed.resourceVersion;
    this.#refusals = 0;
    const changes = this.store.replace(listed.objects);
    this.#synced = true;
    this.#firstListed?.();
    this.listeners.tell(changes);
    return { as: 'listed' };
  }

  async #watch(version: string): Promise<Ended> {
    const { client, path, query, random = Math.random } = this.#options;
    const seconds = Math.round(WATCH_SECONDS * (1 + random()));
    const answer = await client.stream({
      method: 'GET',
      path,
      query: {
        ...query,
        watch: '1',
        allowWatchBookmarks: 'true',
        resourceVersion: version,
        timeoutSeconds: String(seconds),
      },
      signal: this.#stopping.signal,
    });
    if (!(Symbol.asyncIterator in answer)) return this.#refusedWatch(answer);
    this.#liveSinceMs = this.#options.clock.nowMs();
    for await (const event of answer) {
      if (this.#stopping.signal.aborted) break;
      const ended = this.#take(event);
      if (ended !== undefined) return ended;
      this.#failures = 0;
      this.#refusals = 0;
    }
    this.#count('closed');
    return { as: 'closed' };
  }

  #refusedWatch(answer: ApiAnswer): Ended {
    if (answer.status === GONE) {
      this.#count('expired');
      return { as: 'expired' };
    }
    this.#count('refused');
    this.#doubtVersion();
    return answer.ok ? { as: 'failed', why: `the watch was answered ${answer.status}` } : refusal(answer);
  }

  #take({ type, object }: JsonMap): Ended | undefined {
    if (!isMap(object)) return undefined;
    if (type === 'ERROR') return this.#errorEvent(object);
    const changes = this.#changesOf(type, object);
    const version = textOf(metadataOf(object)['resourceVersion']);
    if (version !== '') this.#version = version;
    this.listeners.tell(changes);
    return undefined;
  }

  #changesOf(type: unknown, object: JsonMap): readonly ObjectChange[] {
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
        return this.store.put(this.#options.trim(object));
      case 'DELETED':
        return this.store.remove(object);
      default:
        // BOOKMARK tells a version only; so does what a later server may add
        return [];
    }
  }

  #errorEvent(status: JsonMap): Ended {
    if (status['code'] === GONE) {
      this.#count('expired');
      return { as: 'expired' };
    }
    this.#count('error-event');
    this.#doubtVersion();
    const code = typeof status['code'] === 'number' ? status['code'] : 'unknown';
    return { as: 'failed', why: `the watch ended with error ${code}: ${textOf(status['message'])}` };
  }

  #doubtVersion(): void {
    this.#refusals += 1;
    if (this.#refusals >= DOUBTFUL_REFUSALS) this.#version = undefined;
  }

  #count(what: 'ok' | 'failed' | 'expired' | 'closed' | 'refused' | 'error-event' | 'broken'): void {
    const { meter, resource } = this.#options;
    if (this.#version === undefined) meter?.count('watch_lists_total', { resource, result: what });
    else meter?.count('watch_ends_total', { resource, reason: what });
  }
}

function refusal(answer: ApiAnswer & { readonly ok: false }): Ended {
  const { status, reason, message, retryAfterSeconds } = answer;
  const why = `the API server answered ${status}${reason === '' ? '' : ` ${reason}`}: ${message}`;
  return { as: 'failed', why, retryAfterSeconds };
}
