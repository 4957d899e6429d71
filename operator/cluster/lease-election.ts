import type { Clock } from '../ports/clock';
import type { Logger } from '../ports/logger';
import type { Meter } from '../ports/meter';
import type { ApiClient } from './api-client';

/** What {@link startLeaseElection} works with. */
export interface LeaseElectionProps {
  readonly client: ApiClient;
  readonly namespace: string;
  /** Of the Lease. */
  readonly name: string;
  /** Of this process; another one, even a restart, must have another. */
  readonly identity: string;
  readonly clock: Clock;
  /**
   * Milliseconds that only ever grow, whatever happens to the wall clock.
   *
   * @default performance.now
   */
  readonly monotonicMs?: () => number;
  /**
   * Spreads the tries; from 0 up to and without 1.
   *
   * @default Math.random
   */
  readonly random?: () => number;
  readonly logger: Logger;
  readonly meter?: Meter;
  /** Called when this process becomes the leader. Must not throw. */
  readonly onStarted: () => void;
  /** Called when it no longer is; the Lease is neither released nor tried for again until what it returns is done. */
  readonly onStopped: () => Promise<void> | void;
}

/** A running election. */
export interface LeaseElection {
  /** True while this process leads. */
  leading(): boolean;
  /** Stops leading, waits for `onStopped`, and gives the Lease back for the next one. Idempotent. */
  close(): Promise<void>;
}

/**
 * Takes part in the election of the leader until it is closed.
 *
 * @param props - Lease, identity and what to call
 * @returns the running election
 */
export declare function startLeaseElection(props: LeaseElectionProps): LeaseElection;
