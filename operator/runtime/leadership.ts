import type { Logger } from '../ports/logger';

/** Work that the leader alone does. */
export interface LeaderWork {
  /** Begins; called again after each time of not leading. */
  begin(): void;
  /** Ends; waits for what is under way. */
  end(): Promise<void>;
}

/** Whether this process leads. */
export interface Leadership {
  leading(): boolean;
  /** Who leads, as the Lease names it; empty: nobody, or there is none. */
  leader(): string;
  /** Whether a process was seen to lead here, this time or before; what a restored Lease names was not. */
  hasLed(instance: string): boolean;
  /** Gives the leadership up and ends the work. */
  close(): Promise<void>;
}

/**
 * Leads from now on, where the exclusive lock on the store has made the leader already.
 *
 * @param work - of the leader
 * @param logger - for the one line that says so
 * @returns the leadership
 */
export function leadAlone(work: LeaderWork, logger: Logger): Leadership {
  let leading = true;
  logger.info('leading, since the store is locked by this process');
  work.begin();
  return {
    leading: () => leading,
    leader: () => '',
    hasLed: () => false,
    close: async () => {
      leading = false;
      await work.end();
    },
  };
}

/**
 * Puts several kinds of work together.
 *
 * @param all - begun in this order, ended side by side
 * @returns one work
 */
export function together(...all: readonly LeaderWork[]): LeaderWork {
  return {
    begin: () => {
      for (const each of all) each.begin();
    },
    end: async () => {
      await Promise.all(all.map((each) => each.end()));
    },
  };
}

/**
 * Makes work of a start that returns its end.
 *
 * @param start - begins, and returns the function that ends
 * @returns the work
 */
export function whileLeading(start: () => () => Promise<void>): LeaderWork {
  let stop: (() => Promise<void>) | undefined;
  return {
    begin: () => {
      stop ??= start();
    },
    end: async () => {
      const ending = stop;
      stop = undefined;
      await ending?.();
    },
  };
}
