import { createHash } from 'node:crypto';
import { isMap, listOf, textOf } from '../../contract/loose-json';

/** Keeps one text beyond the life of the process. */
export interface EventPlace {
  /** Reads it; empty when nothing was ever written. */
  read(): Promise<string>;
  /** Writes it; durable when it answers. */
  write(text: string): Promise<void>;
}

/** A cluster that an event named while it still reported its Services. */
export interface WaitingCluster {
  readonly clusterUid: string;
  /** When the event came, milliseconds since 1970. */
  readonly sinceMs: number;
}

/** Record of the events that came. One writer. */
export interface SeenEvents {
  /** The last id, which a connection goes on after; empty where there is none. */
  readonly last: string;
  /** Clusters whose claims end once they are silent, oldest first. */
  readonly waiting: readonly WaitingCluster[];
  /** Tells whether an event was done; never one without id. */
  has(id: string): boolean;
  /** Keeps that an event was done, with what waits from now on; durable when it answers. */
  add(id: string, waiting?: readonly WaitingCluster[]): Promise<void>;
}

/** Ids that are remembered, some 100 kB. */
export const REMEMBERED = 8_192;
/** Longest id that is sent back as `Last-Event-ID`, since a header has little room; of a longer one only the hash is kept. */
const MAX_LAST = 1_000;
/** Characters of a hash: 72 bits, so that none of the ids that are remembered passes for another one. */
const HASH_LENGTH = 12;

/**
 * Reads what a place holds.
 *
 * @param place - where it is kept
 * @returns what is known now
 */
export async function seenEvents(place: EventPlace): Promise<SeenEvents> {
  let known = parsed(await place.read());
  let hashes = new Set(known.ids);
  return {
    get last() {
      return known.last;
    },
    get waiting() {
      return known.waiting;
    },
    has: (id) => id !== '' && hashes.has(hashOf(id)),
    add: async (id, waiting = known.waiting) => {
      const isNew = id !== '' && !hashes.has(hashOf(id));
      if (!isNew && waiting === known.waiting) return;
      const ids = isNew ? [...known.ids, hashOf(id)].slice(-REMEMBERED) : known.ids;
      const next = { last: isNew && id.length <= MAX_LAST ? id : known.last, ids, waiting };
      await place.write(JSON.stringify(next));
      known = next;
      hashes = new Set(ids);
    },
  };
}

interface Known {
  readonly last: string;
  readonly ids: readonly string[];
  readonly waiting: readonly WaitingCluster[];
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('base64').slice(0, HASH_LENGTH);
}

function parsed(text: string): Known {
  let kept: unknown;
  try {
    kept = JSON.parse(text);
  } catch {
    // nothing was written yet
  }
  // a list of the ids themselves was kept before they were hashed
  if (Array.isArray(kept)) {
    const ids = kept.filter((id) => typeof id === 'string');
    return { last: ids.at(-1) ?? '', ids: ids.map(hashOf), waiting: [] };
  }
  const known = isMap(kept) ? kept : {};
  return {
    last: textOf(known['last']),
    ids: listOf(known['ids']).filter((id) => typeof id === 'string'),
    waiting: listOf(known['waiting']).filter(isWaiting),
  };
}

function isWaiting(value: unknown): value is WaitingCluster {
  return isMap(value) && typeof value['clusterUid'] === 'string' && typeof value['sinceMs'] === 'number';
}
