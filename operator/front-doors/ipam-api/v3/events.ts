import type { ServerResponse } from 'node:http';
import type { FreedEvent } from '../../../contract/ipam-api/v3/answers';
import type { Refusal } from '../../../errors/outcome';
import type { FreedAddress } from '../../../ports/address-book';
import type { FreedEntry, FreedLog } from '../../../ports/freed-log';
import { LocalFreedLog } from './local-freed-log';
import type { IpamApiV3Parts } from './parts';
import { timeOf } from './wire';
import { wordOf } from '../../../contract/ipam-api/v3/family-word';

/** A comment this often keeps proxies from ending a quiet stream, and finds clients that are gone. */
const HEARTBEAT_MS = 15_000;
/** How often what other processes freed is looked for, and which listeners lost their right, while there are listeners. */
const LOOK_MS = 1_000;
/** A client that is this far behind is cut off, and comes back by its last id. */
const MOST_WAITING_BYTES = 1024 * 1024;
/** Entries that are read at once. */
const PAGE = 500;
/** Streams of one client, and of all clients together; each holds a connection and its buffers. */
export const MOST_STREAMS = { ofClient: 20, ofAll: 500 } as const;
const RETRY_SECONDS = 30;

/** Whose stream it is. */
export interface StreamClient {
  readonly name: string;
  /** Tells whether the client may still listen; asked before each event. */
  readonly mayListen: () => boolean;
  /** Id of the last event that the client saw, if it saw one. */
  readonly lastEventId?: string;
}

interface Stream {
  readonly client: StreamClient;
  readonly raw: ServerResponse;
}

/**
 * Freed addresses as server-sent events, for every stream of this process: as the log of the store has them, and where it has
 * none those of this process since it started. `close` ends the streams, since a server waits for open answers.
 */
export class FreedEvents {
  readonly #parts: IpamApiV3Parts;
  readonly #log: FreedLog;
  readonly #open = new Set<Stream>();
  /** Streams that have everything up to the common place. */
  readonly #level = new Set<Stream>();
  readonly #ends: (() => void)[] = [];
  /** Place up to which every listener was told; absent without one. */
  #place: string | undefined;
  #work: Promise<void> = Promise.resolve();
  #looking = false;
  #stopTimers: (() => void)[] = [];

  /**
   * Begins to listen to the book.
   *
   * @param parts - book, clock, and the log where the store has one
   */
  constructor(parts: IpamApiV3Parts) {
    this.#parts = parts;
    if (parts.freedLog === undefined) {
      const local = new LocalFreedLog(parts.book, parts.clock);
      this.#ends.push(() => {
        local.close();
      });
      this.#log = local;
    } else this.#log = parts.freedLog;
    // own ones at once
    const stop = parts.book.onFreed(() => {
      this.#look();
    });
    this.#ends.push(stop);
    const stopUnused = parts.onUnused?.((freed) => {
      this.#tellUnused(freed);
    });
    if (stopUnused !== undefined) this.#ends.push(stopUnused);
  }

  /**
   * Tells why a client may open no more streams.
   *
   * @param client - name of the client
   * @returns refusal `api/too-many-streams` or `api/streams-full`; undefined when it may
   */
  refusal(client: string): Refusal | undefined {
    const retryAfterSeconds = RETRY_SECONDS;
    if (this.#open.size >= MOST_STREAMS.ofAll) {
      const message = `${MOST_STREAMS.ofAll} event streams are open, which is the limit of this server; try again in ${RETRY_SECONDS} s`;
      return { code: 'api/streams-full', message, retryAfterSeconds };
    }
    const own = [...this.#open].filter((stream) => stream.client.name === client).length;
    if (own < MOST_STREAMS.ofClient) return undefined;
    const message = `client "${client}" has ${own} event streams open and may have no more; end one, or try again in ${RETRY_SECONDS} s`;
    return { code: 'api/too-many-streams', message, retryAfterSeconds };
  }

  /**
   * Serves one stream until its client or the server ends it, or the client may listen no more.
   *
   * @param raw - answer of which nothing was sent
   * @param client - whose stream it is
   */
  follow(raw: ServerResponse, client: StreamClient): void {
    const stream: Stream = { client, raw };
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    raw.flushHeaders();
    this.#open.add(stream);
    if (this.#open.size === 1) this.#startTimers();
    raw.once('close', () => {
      this.#open.delete(stream);
      this.#level.delete(stream);
      if (this.#open.size === 0) this.#rest();
    });
    this.#then(
      () => this.#join(stream),
      // the client comes back by its last id
      () => raw.destroy(),
    );
  }

  /** Ends every stream. */
  close(): void {
    for (const end of this.#ends) end();
    this.#rest();
    for (const { raw } of this.#open) raw.end();
  }

  // The first lines name the place from which a client that saw nothing yet goes on.
  async #join(stream: Stream): Promise<void> {
    if (!this.#open.has(stream)) return;
    const here = await this.#advance();
    const { lastEventId } = stream.client;
    if (lastEventId !== undefined && (await this.#log.knows(lastEventId))) {
      send(stream, ': goes on\n\n');
      await this.#read(lastEventId, here, (text) => {
        send(stream, text);
      });
    } else {
      send(stream, `id: ${here}\nevent: ${lastEventId === undefined ? 'ready' : 'reset'}\ndata: {}\n\n`);
    }
    if (this.#open.has(stream)) this.#level.add(stream);
  }

  // One after the other, so that each stream has each event once and in order.
  #then(work: () => Promise<unknown>, failed: () => void): void {
    this.#work = this.#work.then(work).then(
      () => undefined,
      (thrown: unknown) => {
        this.#parts.logger.warn('freed addresses cannot be read for the event streams', { cause: String(thrown) });
        failed();
      },
    );
  }

  #look(): void {
    if (this.#looking || this.#open.size === 0) return;
    this.#looking = true;
    const seen = (): void => {
      this.#looking = false;
    };
    this.#then(async () => {
      seen();
      if (this.#open.size > 0) await this.#advance();
      // a store that is away is asked again
    }, seen);
  }

  async #advance(): Promise<string> {
    this.#place ??= await this.#log.here();
    this.#place = await this.#read(this.#place, undefined, (text, place) => {
      this.#place = place;
      this.#write(text);
    });
    return this.#place;
  }

  async #read(from: string, until: string | undefined, tell: (text: string, place: string) => void): Promise<string> {
    const page = until === undefined ? { limit: PAGE } : { limit: PAGE, until };
    for (let place = from; ;) {
      const entries = await this.#log.after(place, page);
      for (const entry of entries) tell(textOf(entry, this.#parts.clock.nowMs()), entry.place);
      place = entries.at(-1)?.place ?? place;
      if (entries.length < PAGE) return place;
    }
  }

  // In no log, so without an id: a client that misses it asks again by itself.
  #tellUnused(freed: FreedAddress): void {
    this.#then(
      () => {
        this.#write(eventOf(freed, this.#parts.clock.nowMs()));
        return Promise.resolve();
      },
      () => undefined,
    );
  }

  #write(text: string): void {
    for (const stream of this.#level) send(stream, text);
  }

  #startTimers(): void {
    this.#every(HEARTBEAT_MS, () => {
      this.#write(': still here\n\n');
    });
    this.#every(LOOK_MS, () => {
      for (const stream of this.#open) endUnlessMay(stream);
      if (this.#parts.freedLog !== undefined) this.#look();
    });
  }

  #every(ms: number, work: () => void): void {
    const index = this.#stopTimers.length;
    const again = (): void => {
      this.#stopTimers[index] = this.#parts.clock.after(ms, () => {
        again();
        work();
      });
    };
    again();
  }

  #rest(): void {
    for (const stop of this.#stopTimers) stop();
    this.#stopTimers = [];
    this.#then(
      () => {
        if (this.#open.size === 0) this.#place = undefined;
        return Promise.resolve();
      },
      () => undefined,
    );
  }
}

// A login that is withdrawn ends what it began.
function endUnlessMay({ client, raw }: Stream): void {
  if (!client.mayListen() && !raw.writableEnded) raw.end();
}

function send(stream: Stream, text: string): void {
  const { raw } = stream;
  endUnlessMay(stream);
  if (raw.writableLength > MOST_WAITING_BYTES) raw.destroy();
  // a client that left, or a server that ends, may come between the reading and the writing
  else if (!raw.destroyed && !raw.writableEnded) raw.write(text);
}

function textOf({ place, ...freed }: FreedEntry, nowMs: number): string {
  return `id: ${place}\n${eventOf(freed, nowMs)}`;
}

function eventOf({ network, zone, address, freeAtMs }: FreedAddress, nowMs: number): string {
  const family = wordOf(address.family);
  const free = { freeAt: timeOf(freeAtMs), freeInMilliseconds: Math.max(0, Math.ceil(freeAtMs - nowMs)) };
  const event: FreedEvent = { network, zone, family, address: address.toString(), ...free };
  return `event: freed\ndata: ${JSON.stringify(event)}\n\n`;
}
