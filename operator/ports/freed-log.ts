import type { FreedAddress } from './address-book';

/** One freed address and its place among all of them. */
export interface FreedEntry extends FreedAddress {
  /** Opaque; the next entry has a later one. */
  readonly place: string;
}

/**
 * Freed addresses of all processes over one record, in one order: what was read once never gets an earlier neighbour. Kept for
 * some time, or up to some number, only.
 */
export interface FreedLog {
  /** Place behind everything that can be read now. */
  here(): Promise<string>;
  /** Tells whether everything behind a place can still be read; false for a text that is no place of this log. */
  knows(place: string): Promise<boolean>;
  /** Reads entries behind a place, oldest first, up to and with the place `until`. */
  after(place: string, page: { readonly limit: number; readonly until?: string }): Promise<readonly FreedEntry[]>;
}

/** A store that tells what was freed by other processes that write to it, or before a restart of the only one. */
export interface FreedLogHost {
  freedLog(): FreedLog;
}
