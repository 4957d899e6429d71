import type { ObjectKey } from './object-feed';

/** An Event of another program, as it stands in the cluster. */
export interface FoundEvent {
  readonly message: string;
  /** RFC 3339; when it was seen last. */
  readonly time: string;
}

/** Reads Events that other programs record about an object. */
export interface EventReader {
  /**
   * Finds the newest Event about an object.
   *
   * @param regarding - the object
   * @param event - `reason` of the Event, and `reporter`, the program that records it
   * @returns undefined where there is none, and where it cannot be read: an Event is a courtesy. Never throws.
   */
  newest(
    regarding: ObjectKey,
    event: { readonly reason: string; readonly reporter: string },
  ): Promise<FoundEvent | undefined>;
}

/** An Event that this operator recorded, as it stands in the cluster. */
export interface RecordedEvent extends FoundEvent {
  readonly reason: string;
  /** The object that it is about. */
  readonly regarding: { readonly kind: string; readonly namespace: string; readonly name: string };
}

/** Lists the Events that this operator recorded. */
export interface RecordedEvents {
  /**
   * Lists them, whatever they are about.
   *
   * @returns newest first; the API server forgets them after a time, an hour by default
   * @throws IpamError `cluster/unavailable`
   */
  recorded(): Promise<readonly RecordedEvent[]>;
}
