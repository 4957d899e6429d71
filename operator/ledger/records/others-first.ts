/** Things that are looked at before others get their turn: some milliseconds of work. */
const AT_ONCE = 500;

/**
 * Lets everything else that is due in this process go first, so that a long list makes no request wait.
 *
 * @returns when that is done
 */
export function othersFirst(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Looks after which others get their turn: most find nothing to do and wait for nothing, and the Lease has to be renewed meanwhile. */
const LOOKS_AT_ONCE = 50;

/**
 * Makes a look that lets others go first from time to time.
 *
 * @param look - at one thing
 * @returns the same look; from time to time all of those that begin wait for others
 */
export function lookInTurn<K, R>(look: (key: K) => Promise<R>): (key: K) => Promise<R> {
  let looks = 0;
  let turn = Promise.resolve();
  return async (key) => {
    looks += 1;
    // for all workers, since those that do not wait would go on
    if (looks % LOOKS_AT_ONCE === 0) turn = othersFirst();
    await turn;
    return look(key);
  };
}

/**
 * Does something with each of many things, and lets others go first in between. What changes meanwhile is seen or not.
 *
 * @param all - the things
 * @param work - what is done with each
 */
export async function forEachInTurn<T>(all: Iterable<T>, work: (each: T) => void): Promise<void> {
  let count = 0;
  for (const each of all) {
    work(each);
    count += 1;
    if (count % AT_ONCE === 0) await othersFirst();
  }
}
