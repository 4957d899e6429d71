import type { JsonMap } from '../contract/loose-json';
import type { ShownAddresses } from '../contract/shown-addresses';
import type { ObjectFeed } from './object-feed';

/** The stored objects of one kind, and the addresses that each of them shows. */
export interface ShowingFeed {
  readonly kind: string;
  readonly feed: ObjectFeed;
  /** Reads the addresses that an object of the feed shows now. */
  shownBy(object: JsonMap): readonly ShownAddresses[];
}
