import type { Logger } from '../ports/logger';

/** Work that the leader alone does. */
export interface LeaderWork {
  /** Begins; called again after each time of not leading. */
  begin(): void;
  /** Ends; waits for what is under way. */
  end(): Promise<void>;
}

/** Leadership of this process, won or not. */
export interface Leadership {
  leading(): boolean;
  /** Identity of the leader in the Lease; empty where no process leads, or there is no Lease. */
  leader(): string;
  /** Tells whether this process has seen a process lead; the identity in a restored Lease does not count. */
  hasLed(instance: string): boolean;
  /** Gives up the leadership and ends the work. */
  close(): Promise<void>;
}

/**
 * Begins to lead at once, where the exclusive lock on the store leaves no other candidate.
 *
 * @param work - of the leader
 * @param logger - for one line about the start
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
 * Combines several works into one.
 *
 * @param all - begun in this order, ended concurrently
 * @returns the combined work
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
 * Makes work of a function that starts something and returns the function that ends it.
 *
 * @param start - called at each begin
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
