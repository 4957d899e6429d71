import { isMap, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { IpamError, isIpamError } from '../../errors/ipam-error';
import { traceOf } from '../../errors/trace';
import type { Meter } from '../../ports/meter';
import type { ObjectChange } from '../../ports/object-feed';
import type { Tools } from '../../ports/tools';
import type { ApiAnswer, ApiClient } from '../api/api-client';
import { listAll } from './listing';
import { NextList } from './list-signals';
import { refusal, type Ended } from './list-end';
import { Listeners } from './listeners';
import { isOlder, newestVersion } from './newest-version';
import { ObjectStore } from './object-store';
import { WatchHealth } from './watch-health';
import { ListenerSet } from '../../runtime/listener-set';
import { pause } from '../../runtime/token-bucket';

/** The server ends a watch after this time and up to the same again, so that watches do not end all at once. */
const WATCH_SECONDS = 300;
const GONE = 410;
/** Refusals in a row after which the version itself is doubted, for example when the store was restored from a backup. */
const DOUBTFUL_REFUSALS = 2;

/** Objects to watch, and the tools for it. */
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

/**
 * Keeps a store of objects up to date: lists, watches from the version of the list, and comes back from every failure with
 * growing pauses. One loop; `stop` is final.
 */
export class ListWatch {
  readonly store = new ObjectStore();
  readonly listeners: Listeners;
  /** Told when the server proves to be older than what was seen of it. */
  readonly resets = new ListenerSet<void>();
  readonly #options: ListWatchOptions;
  readonly #stopping = new AbortController();
  readonly #loop: Promise<void>;
  readonly #lists = new NextList();
  readonly #health: WatchHealth;
  #synced = false;
  #version: string | undefined;
  /** Newest version that was seen; stays where a watch has to begin anew. */
  #seen: string | undefined;
  #refusals = 0;
  /** The connection was lost: the server that answers next may be an older one. */
  #unproven = false;
  #watching: AbortController | undefined;
  #proving: Promise<boolean> | undefined;
  #renewing: Promise<void> | undefined;
  /** UIDs that were deleted while a list is made beside the watch. */
  #removed: Set<string> | undefined;

  /**
   * Starts the loop.
   *
   * @param options - what is watched and with what
   */
  constructor(options: ListWatchOptions) {
    this.#options = options;
    const { logger, meter, resource, clock, random = Math.random } = options;
    this.listeners = new Listeners({ logger, meter, resource });
    this.#health = new WatchHealth({ logger, resource, clock, random });
    this.#loop = this.#run();
  }

  /**
   * Tells whether a list was complete.
   *
   * @returns true from then on, until the server proves to be older than what was seen
   */
  synced(): boolean {
    return this.#synced;
  }

  /**
   * Waits for a complete list.
   *
   * @returns once there is one
   */
  whenSynced(): Promise<void> {
    return this.#synced ? Promise.resolve() : this.#lists.next();
  }

  /**
   * Tells whether the server still has what was seen of it.
   *
   * @returns true while a watch is open, and where the server says so; for some seconds also where it cannot be reached
   */
  async isCurrent(): Promise<boolean> {
    if (!this.#synced) return false;
    if (this.#health.isLive) return true;
    try {
      return await this.#prove();
    } catch {
      return this.#health.isJustDown;
    }
  }

  /**
   * Lists beside the watch, and tells what that did not.
   *
   * @returns once everything of the list was told
   * @throws IpamError `cluster/unavailable`
   */
  relist(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
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
    if (this.#stopping.signal.aborted) return `the watch of ${this.#options.resource} was stopped`;
    return this.#health.problem();
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
    // the first step waits a moment, so that a listener can be added before anything comes
    await Promise.resolve();
    while (!signal.aborted) {
      const ended = await this.#step();
      if (ended.as === 'expired') this.#version = undefined;
      const ms = this.#health.pauseAfter(ended);
      if (ms > 0) await pause(this.#options.clock, ms, signal);
    }
  }

  async #step(): Promise<Ended> {
    try {
      if (this.#unproven && this.#version !== undefined) await this.#prove();
      return this.#version === undefined ? await this.#list() : await this.#watch(this.#version);
    } catch (thrown) {
      if (this.#stopping.signal.aborted) return { as: 'closed' };
      if (this.#tookAbort()) return { as: 'reset' };
      this.#count(this.#version === undefined ? 'failed' : 'broken');
      const why = isIpamError(thrown) ? thrown.message : `a fault of the program at ${traceOf(thrown)}`;
      const retryAfterSeconds = isIpamError(thrown) ? thrown.retryAfterSeconds : undefined;
      return { as: 'failed', why, retryAfterSeconds };
    } finally {
      this.#watchEnded();
    }
  }

  #watchEnded(): void {
    if (this.#health.ended()) this.#unproven = true;
  }

  // Once for each: what fails after it has reasons of its own.
  #tookAbort(): boolean {
    const aborted = this.#watching?.signal.aborted === true;
    if (aborted) this.#watching = undefined;
    return aborted;
  }

  // One question at a time, for all callers.
  #prove(): Promise<boolean> {
    this.#proving ??= this.#compareVersions().finally(() => {
      this.#proving = undefined;
    });
    return this.#proving;
  }

  async #compareVersions(): Promise<boolean> {
    const { client, path, query } = this.#options;
    const seen = this.#seen;
    const newest = await newestVersion({ client, path, query, signal: this.#stopping.signal });
    if (this.#wentBack(newest, seen)) {
      this.#startOver();
      return false;
    }
    this.#unproven = false;
    return true;
  }

  // What was seen before an answer counts only while nothing was found out meanwhile.
  #wentBack(version: string, seen: string | undefined): boolean {
    if (seen === undefined || this.#seen === undefined || isOlder(this.#seen, seen)) return false;
    return isOlder(version, seen);
  }

  // A watch would go on from a version that lies in the future of this server, and tell nothing.
  #startOver(): void {
    const { logger, resource } = this.#options;
    logger.warn('the API server is older than what was seen of it, as after a restored backup', { resource });
    this.#version = undefined;
    this.#seen = undefined;
    this.#unproven = false;
    this.#synced = false;
    this.#watching?.abort();
    this.resets.tell();
  }

  async #renew(): Promise<void> {
    await this.whenSynced();
    const { client, path, query, trim } = this.#options;
    const { signal } = this.#stopping;
    const seen = this.#seen;
    const removed = new Set<string>();
    this.#removed = removed;
    const listed = await listAll({ client, path, query, trim, signal }).finally(() => (this.#removed = undefined));
    if (signal.aborted) return;
    if (!listed.ok) throw new IpamError('cluster/unavailable', refusal(listed.answer).why);
    if (this.#wentBack(listed.resourceVersion, seen)) this.#startOver();
    // what was seen before is told by the list that the loop makes
    if (!this.#synced) return this.whenSynced();
    this.listeners.tell(this.store.merge({ ...listed, removed }));
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
    if (this.#wentBack(listed.resourceVersion, this.#seen)) this.#startOver();
    this.#version = listed.resourceVersion;
    this.#seen = listed.resourceVersion;
    this.#refusals = 0;
    this.#unproven = false;
    const changes = this.store.replace(listed.objects);
    this.#synced = true;
    this.#lists.made();
    this.listeners.tell(changes);
    return { as: 'listed' };
  }

  async #watch(version: string): Promise<Ended> {
    const { client, path, query, random = Math.random } = this.#options;
    const seconds = Math.round(WATCH_SECONDS * (1 + random()));
    const watching = new AbortController();
    this.#watching = watching;
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
      signal: AbortSignal.any([this.#stopping.signal, watching.signal]),
    });
    if (!(Symbol.asyncIterator in answer)) return this.#refusedWatch(answer);
    this.#health.opened();
    for await (const event of answer) {
      if (this.#stopping.signal.aborted) break;
      if (watching.signal.aborted) return { as: 'reset' };
      const ended = this.#take(event);
      if (ended !== undefined) return ended;
      this.#health.proved();
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
    const version = textOf(metadataOf(object)['resourceVersion']);
    if (version !== '' && this.#version !== undefined && isOlder(version, this.#version)) {
      this.#startOver();
      return { as: 'reset' };
    }
    const changes = this.#changesOf(type, object);
    if (type === 'DELETED') this.#removed?.add(textOf(metadataOf(object)['uid']));
    if (version !== '') this.#version = this.#seen = version;
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
