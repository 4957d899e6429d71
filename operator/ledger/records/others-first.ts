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
