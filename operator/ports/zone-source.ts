import type { ZoneCatalogue } from '../contract/zones';

/** Where the zones come from; reloaded live, an invalid document keeps the last good one. */
export interface ZoneSource {
  /** The last good catalogue. */
  current(): ZoneCatalogue;
  /** Tells that another catalogue is in force; returns the function that stops it. Absent where the zones never change. */
  onChange?(listener: () => void): () => void;
}
