import type { Clock } from './clock';

/** A store that several processes share, whose clock tells them all the same time. */
export interface StoreTime {
  /** The store's clock. Every moment that a record has is compared with it, never with the clock of a process. */
  readonly clock: Clock;
}
