import type { IncomingMessage } from 'node:http';
import { addressOf } from '../../../addressing/address';
import { parsePrefix } from '../../../addressing/prefix';
import type { FreedEvent } from '../../../contract/ipam-api/v3/answers';
import type { FreedAddress } from '../../../ports/address-book';
import type { Clock } from '../../../ports/clock';
import type { Tools } from '../../../ports/tools';
import { pauseMs } from '../pauses';
import { EventReader, type ServerEvent } from './v3-events';
import type { V3Client } from './v3-client';

/** A server that sends nothing for so long, not even a comment, is gone. */
const SILENCE_MS = 45_000;

/** Parts of the stream. */
export interface FreedStreamProps extends Pick<Tools, 'clock' | 'logger'> {
  readonly client: V3Client;
  readonly clusterUid: string;
}

/** Follows the freed addresses of an IPAM-API while there is a listener, and goes on where a break began. */
export class FreedStream {
  readonly #props: FreedStreamProps;
  readonly #listeners = new Set<(freed: FreedAddress) => void>();
  #running: AbortController | undefined;
  #lastId = '';

  /**
   * Opens nothing before the first listener.
   *
   * @param props - client, cluster, clock, logger
   */
  constructor(props: FreedStreamProps) {
    this.#props = props;
  }

  /**
   * Adds a listener.
   *
   * @param listener - told each freed address; after a break that lost some, each zone once
   * @returns the function that takes it away
   */
  add(listener: (freed: FreedAddress) => void): () => void {
    const own = (freed: FreedAddress): void => {
      listener(freed);
    };
    this.#listeners.add(own);
    if (this.#running === undefined) {
      this.#running = new AbortController();
      void this.#follow(this.#running.signal);
    }
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.close();
    };
  }

  /** Ends it. */
  close(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#props;
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        await this.#readOnce(signal, () => (failures = 0));
      } catch (error) {
        logger.debug('stream of freed addresses broke', { failures, why: error instanceof Error ? error.message : '' });
      }
      await pause(clock, pauseMs(Math.max(1, failures), Math.random()), signal);
    }
  }

  async #readOnce(signal: AbortSignal, onWell: () => void): Promise<void> {
    const { client, clusterUid, clock } = this.#props;
    const headers = { accept: 'text/event-stream', ...(this.#lastId === '' ? {} : { 'last-event-id': this.#lastId }) };
    const message = await client.open('clusterEvents', { params: { clusterUid } }, { signal, headers });
    const reader = new EventReader();
    message.setEncoding('utf8');
    let stopWatch = silence(clock, message);
    try {
      for await (const chunk of message) {
        stopWatch();
        stopWatch = silence(clock, message);
        onWell();
        for (const event of reader.read(String(chunk))) await this.#hear(event);
      }
    } finally {
      stopWatch();
    }
  }

  async #hear({ id, event, data }: ServerEvent): Promise<void> {
    if (event === 'freed') this.#tell(freedOf(JSON.parse(data) as FreedEvent, this.#props.clock.nowMs()));
    // a client that begins anew, or was away for too long, may have missed any address
    if (event === 'reset') await this.#tellAllZones();
    if (id !== '') this.#lastId = id;
  }

  async #tellAllZones(): Promise<void> {
    const zones = await this.#props.client.call('listZones', {});
    if (!zones.ok) return;
    const freeAtMs = this.#props.clock.nowMs();
    for (const { network, name: zone, prefixes } of zones.value.entries) {
      for (const text of prefixes) {
        const prefix = parsePrefix(text);
        if (prefix.ok) this.#tell({ network, zone, address: prefix.value.first, freeAtMs });
      }
    }
  }

  #tell(freed: FreedAddress): void {
    for (const listener of [...this.#listeners]) listener(freed);
  }
}

// A duration counts from here; the moment is one of another machine's clock.
function freedOf({ network, zone, address, freeAt, freeInMilliseconds }: FreedEvent, nowMs: number): FreedAddress {
  const freeAtMs = freeInMilliseconds === undefined ? Date.parse(freeAt) : nowMs + freeInMilliseconds;
  return { network, zone, address: addressOf(address), freeAtMs };
}

function silence(clock: Clock, message: IncomingMessage): () => void {
  return clock.after(SILENCE_MS, () => message.destroy());
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(ms, resolve);
    signal.addEventListener(
      'abort',
      () => {
        stop();
        resolve();
      },
      { once: true },
    );
  });
}
