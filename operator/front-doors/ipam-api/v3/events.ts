import type { ServerResponse } from 'node:http';
import type { FreedEvent } from '../../../contract/ipam-api/v3/answers';
import type { FreedAddress } from '../../../ports/address-book';
import type { IpamApiV3Parts } from './parts';
import { timeOf, wordOf } from './wire';

/** Events that a client may fetch after a break. */
const KEPT_EVENTS = 4_096;
/** A comment this often keeps proxies from ending a quiet stream, and finds clients that are gone. */
const HEARTBEAT_MS = 15_000;
/** A client that is this far behind is cut off, and comes back by its last id. */
const MOST_WAITING_BYTES = 1024 * 1024;

interface KeptEvent {
  readonly id: number;
  readonly text: string;
}

/**
 * Freed addresses as server-sent events, for every stream of this process. `close` ends the streams, since a server waits
 * for open answers.
 */
export class FreedEvents {
  readonly #parts: IpamApiV3Parts;
  /** Tells the ids of this process from those of another one, whose events nobody can repeat. */
  readonly #epoch: number;
  readonly #streams = new Set<ServerResponse>();
  readonly #stop: () => void;
  #kept: KeptEvent[] = [];
  #lastId = 0;
  #stopHeartbeat: (() => void) | undefined;

  /**
   * Begins to listen to the book.
   *
   * @param parts - book and clock
   */
  constructor(parts: IpamApiV3Parts) {
    this.#parts = parts;
    this.#epoch = parts.clock.nowMs();
    this.#stop = parts.book.onFreed((freed) => {
      this.#tell(freed);
    });
  }

  /**
   * Serves one stream until its client or the server ends it.
   *
   * @param raw - answer of which nothing was sent
   * @param lastEventId - id of the last event that the client saw, if it saw one
   */
  follow(raw: ServerResponse, lastEventId: string | undefined): void {
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    raw.write(this.#missed(lastEventId));
    this.#streams.add(raw);
    raw.once('close', () => {
      this.#streams.delete(raw);
      if (this.#streams.size === 0) this.#endHeartbeat();
    });
    this.#stopHeartbeat ??= this.#beat();
  }

  /** Ends every stream. */
  close(): void {
    this.#stop();
    this.#endHeartbeat();
    for (const raw of this.#streams) raw.end();
  }

  // The first lines name the place from which a client that saw nothing yet goes on.
  #missed(lastEventId: string | undefined): string {
    const here = `id: ${this.#epoch}-${this.#lastId}\n`;
    if (lastEventId === undefined) return `${here}event: ready\ndata: {}\n\n`;
    const [epoch, id] = lastEventId.split('-').map(Number);
    const oldest = this.#kept[0]?.id ?? this.#lastId + 1;
    const known = epoch === this.#epoch && id !== undefined && id >= oldest - 1 && id <= this.#lastId;
    if (!known) return `${here}event: reset\ndata: {}\n\n`;
    const events = this.#kept.filter((each) => each.id > id).map(({ text }) => text);
    return `: goes on\n\n${events.join('')}`;
  }

  #tell({ network, zone, address, freeAtMs }: FreedAddress): void {
    const id = ++this.#lastId;
    const family = wordOf(address.family);
    const event: FreedEvent = { network, zone, family, address: address.toString(), freeAt: timeOf(freeAtMs) };
    const text = `id: ${this.#epoch}-${id}\nevent: freed\ndata: ${JSON.stringify(event)}\n\n`;
    this.#kept.push({ id, text });
    if (this.#kept.length > 2 * KEPT_EVENTS) this.#kept = this.#kept.slice(-KEPT_EVENTS);
    this.#write(text);
  }

  #write(text: string): void {
    for (const raw of this.#streams) {
      if (raw.writableLength > MOST_WAITING_BYTES) raw.destroy();
      else raw.write(text);
    }
  }

  #beat(): () => void {
    return this.#parts.clock.after(HEARTBEAT_MS, () => {
      this.#write(': still here\n\n');
      this.#stopHeartbeat = this.#beat();
    });
  }

  #endHeartbeat(): void {
    this.#stopHeartbeat?.();
    this.#stopHeartbeat = undefined;
  }
}
