import { isMap } from '../../contract/loose-json';
import { isIpamError } from '../../errors/ipam-error';
import type { ClusterRegister } from '../../ports/registry';
import type { Tools } from '../../ports/tools';
import { lifeOf, type AliveParts } from './alive';
import { connectEvents, type EventSource } from './connection';
import { StreamParser, type StreamEvent } from './parser';
import { seenEvents, type EventPlace, type SeenEvents, type WaitingCluster } from './seen';

/** Parts that the clean-up by events works with. */
export interface CleanupEventsParts extends AliveParts, Pick<Tools, 'logger' | 'meter'> {
  readonly source: EventSource;
  readonly registry: Omit<ClusterRegister, 'reported'>;
  /** Where the ids of events that were done are kept, so that a restart does none of them again. */
  readonly place: EventPlace;
  /** Number from 0 to 1 that spreads the pauses; random by default. */
  readonly spread?: () => number;
}

/** Type of the events that end the claims of a cluster; others are left alone. */
const CLEANUP_EVENT = 'cluster-deleted';
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Between two looks whether clusters that an event named are silent now. */
export const LOOK_MS = 60_000;
/** Time after its event in which a cluster must fall silent; it is alive otherwise. */
const PATIENCE_MS = 3_600_000;
/** Clusters that wait for their silence. */
const MOST_WAITING = 1_024;

/**
 * Follows a stream of events that name clusters which are gone, and ends their claims as a clean-up does. Reconnects for ever. A
 * cluster that still reports its Services loses nothing: its claims end only once it is silent, and not at all if it goes on.
 *
 * @param parts - stream, registry, tools
 * @returns the function that ends it; it waits for a clean-up that is under way
 */
export function startCleanupEvents(parts: CleanupEventsParts): () => Promise<void> {
  const follower = new Follower(parts);
  const running = follower.run();
  return async () => {
    follower.end();
    await running;
  };
}

class Follower {
  readonly #parts: CleanupEventsParts;
  readonly #ending = new AbortController();
  #failures = 0;
  #retryMs = FIRST_PAUSE_MS;
  /** Events and looks after clusters that wait write the same text, so one waits for the other. */
  #turn: Promise<void> = Promise.resolve();
  #cancelLook: (() => void) | undefined;

  constructor(parts: CleanupEventsParts) {
    this.#parts = parts;
  }

  end(): void {
    this.#ending.abort();
  }

  async run(): Promise<void> {
    const seen = await this.#untilDone('read', () => seenEvents(this.#parts.place));
    if (seen !== undefined) this.#lookLater(seen);
    while (seen !== undefined && !this.#ended()) {
      await this.#follow(seen);
      await this.#pause();
    }
    this.#cancelLook?.();
    await this.#turn;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work);
    return this.#turn;
  }

  #ended(): boolean {
    return this.#ending.signal.aborted;
  }

  async #follow(seen: SeenEvents): Promise<void> {
    const { source, clock, meter, logger } = this.#parts;
    const opened = await connectEvents(source, { lastId: seen.last, clock, signal: this.#ending.signal });
    if (!opened.ok) {
      if (this.#ended()) return;
      meter.count('cleanup_connections_total', { result: opened.status === 0 ? 'failed' : 'refused' });
      if (this.#failures++ === 0) {
        logger.warn('stream of clean-up events cannot be read; tried again and again', {
          status: opened.status,
          problem: opened.problem,
        });
      }
      return;
    }
    meter.count('cleanup_connections_total', { result: 'opened' });
    const parser = new StreamParser();
    let tooLong = 0;
    for await (const chunk of opened.chunks) {
      if (this.#failures > 0) logger.info('stream of clean-up events is read again');
      this.#failures = 0;
      for (const event of parser.push(chunk)) await this.#inTurn(() => this.#take(seen, event));
      for (; tooLong < parser.tooLong; tooLong++) this.#malformed('longer than an event may be');
      this.#retryMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, parser.retryMs ?? FIRST_PAUSE_MS));
    }
  }

  async #take(seen: SeenEvents, event: StreamEvent): Promise<void> {
    const { meter } = this.#parts;
    if (this.#ended()) return;
    if (seen.has(event.id)) {
      meter.count('cleanup_events_total', { result: 'repeated' });
      return;
    }
    const clusterUid = event.type === CLEANUP_EVENT ? clusterOf(event.data) : undefined;
    if (event.type === CLEANUP_EVENT && clusterUid === undefined) this.#malformed('its data names no cluster_id');
    const waits = clusterUid !== undefined && !(await this.#settle(clusterUid));
    const waiting = waits ? this.#withWaiting(seen.waiting, clusterUid) : seen.waiting;
    if (!this.#ended()) await this.#untilDone('keep', () => seen.add(event.id, waiting));
    this.#lookLater(seen);
  }

  // False while the cluster still reports, so that it is not known yet whether it is gone.
  async #settle(clusterUid: string): Promise<boolean> {
    const life = await this.#untilDone('look', () => lifeOf(clusterUid, this.#parts));
    if (life === 'own') this.#refuse(clusterUid, 'the operator runs in this cluster');
    if (life === 'silent') await this.#clear(clusterUid);
    return life !== 'reporting';
  }

  #withWaiting(waiting: readonly WaitingCluster[], clusterUid: string): readonly WaitingCluster[] {
    if (waiting.some((each) => each.clusterUid === clusterUid)) return waiting;
    const { meter, logger, clock } = this.#parts;
    meter.count('cleanup_events_total', { result: 'waiting' });
    logger.warn('clean-up event names a cluster that reports its Services; its claims end once it is silent', {
      cluster: clusterUid,
    });
    const all = [...waiting, { clusterUid, sinceMs: clock.nowMs() }];
    for (const { clusterUid: oldest } of all.slice(0, -MOST_WAITING)) this.#refuse(oldest, 'too many clusters wait');
    return all.slice(-MOST_WAITING);
  }

  #lookLater(seen: SeenEvents): void {
    if (this.#cancelLook !== undefined || seen.waiting.length === 0 || this.#ended()) return;
    this.#cancelLook = this.#parts.clock.after(LOOK_MS, () => {
      this.#cancelLook = undefined;
      void this.#inTurn(() => this.#look(seen));
    });
  }

  async #look(seen: SeenEvents): Promise<void> {
    const left: WaitingCluster[] = [];
    for (const each of seen.waiting) {
      const isSettled = await this.#settle(each.clusterUid);
      if (this.#ended()) return;
      const isLate = this.#parts.clock.nowMs() - each.sinceMs >= PATIENCE_MS;
      if (!isSettled && isLate) this.#refuse(each.clusterUid, 'the cluster still reports its Services, so it is alive');
      if (!isSettled && !isLate) left.push(each);
    }
    if (left.length < seen.waiting.length) await this.#untilDone('keep', () => seen.add('', left));
    this.#lookLater(seen);
  }

  #refuse(clusterUid: string, why: string): void {
    this.#parts.meter.count('cleanup_events_total', { result: 'refused' });
    this.#parts.logger.warn('clean-up event refused: its cluster is alive', { cluster: clusterUid, why });
  }

  async #clear(clusterUid: string): Promise<void> {
    const { registry, meter, logger } = this.#parts;
    const entries = await this.#untilDone('clear', () => registry.clearCluster({ clusterUid, dryRun: false }));
    if (entries === undefined) return;
    meter.count('cleanup_events_total', { result: 'done' });
    const released = entries.filter(({ verdict }) => verdict !== 'denied').length;
    const fields = { cluster: clusterUid, count: entries.length, released };
    // an event that is so old that it was forgotten finds nothing more to do, each time it is repeated
    if (released === 0) logger.debug('clean-up event found nothing to end', fields);
    else logger.info('claims of a cluster that is gone were ended', fields);
  }

  // The text of a foreign event goes into no log.
  #malformed(problem: string): void {
    this.#parts.meter.count('cleanup_events_total', { result: 'malformed' });
    this.#parts.logger.warn('clean-up event left out', { problem });
  }

  // A store that is away must not cost an event: the stream waits meanwhile.
  async #untilDone<T>(operation: string, work: () => Promise<T>): Promise<T | undefined> {
    for (let attempt = 1; !this.#ended(); attempt++) {
      try {
        return await work();
      } catch (thrown) {
        const { meter, logger } = this.#parts;
        meter.count('cleanup_events_total', { result: 'failed' });
        const code = isIpamError(thrown) ? thrown.code : 'internal';
        if (attempt === 1) logger.warn('clean-up event waits for the store', { operation, code });
        await this.#wait(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)));
      }
    }
    return undefined;
  }

  #pause(): Promise<void> {
    return this.#wait(Math.min(LONGEST_PAUSE_MS, this.#retryMs * 2 ** Math.max(0, this.#failures - 1)));
  }

  // Spread, so that many operators do not come back to one server at the same moment.
  #wait(ms: number): Promise<void> {
    const { clock, spread = Math.random } = this.#parts;
    const { signal } = this.#ending;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = clock.after(ms * (0.5 + spread() / 2), end);
      signal.addEventListener('abort', end);
    });
  }
}

/**
 * Reads which cluster an event names.
 *
 * @param data - JSON with the member `cluster_id`, as the clean-up of the original takes it
 * @returns the UID, or undefined
 */
function clusterOf(data: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(data);
  } catch {
    return undefined;
  }
  const uid = isMap(body) ? body['cluster_id'] : undefined;
  return typeof uid === 'string' && /^[^\p{Cc}\s]{1,253}$/u.test(uid) ? uid : undefined;
}
