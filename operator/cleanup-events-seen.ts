/** Keeps one text beyond the life of the process. */
export interface EventPlace {
  /** Reads it; empty when nothing was ever written. */
  read(): Promise<string>;
  /** Writes it; durable when it answers. */
  write(text: string): Promise<void>;
}

/** Ids of the events that were done. One writer. */
export interface SeenEvents {
  /** The last one, which a connection goes on after; empty where there is none. */
  readonly last: string;
  /** Tells whether an event was done; never one without id. */
  has(id: string): boolean;
  /** Keeps that an event was done; durable when it answers. */
  add(id: string): Promise<void>;
}

/** Ids that are remembered: a server that forgets the last id repeats no more than it keeps itself. */
const REMEMBERED = 256;
/** Longest id that is kept; a longer one counts as none. */
const MAX_ID = 200;

/**
 * Reads the ids that a place holds.
 *
 * @param place - where they are kept
 * @returns what is known now
 */
export async function seenEvents(place: EventPlace): Promise<SeenEvents> {
  const ids = parsed(await place.read());
  return {
    get last() {
      return ids.at(-1) ?? '';
    },
    has: (id) => id !== '' && ids.includes(id),
    add: async (id) => {
      if (id === '' || id.length > MAX_ID || ids.includes(id)) return;
      const next = [...ids, id].slice(-REMEMBERED);
      await place.write(JSON.stringify(next));
      ids.splice(0, ids.length, ...next);
    },
  };
}

function parsed(text: string): string[] {
  try {
    const ids: unknown = JSON.parse(text);
    if (Array.isArray(ids)) return ids.filter((id) => typeof id === 'string');
  } catch {
    // nothing was written yet
  }
  return [];
}
