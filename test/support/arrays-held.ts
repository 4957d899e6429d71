import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Measures what is held in typed arrays.
 *
 * Builds the structure until two readings agree, at most five times: buffers that were garbage before, and are given
 * back during a reading, make it smaller and never larger, so the largest reading is the right one.
 *
 * @param make - builds a structure, a new one each time; not async
 * @returns the structure of the last time, and the bytes of the array buffers that one of them holds
 */
export function arraysHeld<S>(make: () => S): { readonly made: S; readonly bytes: number } {
  const readings: number[] = [];
  for (;;) {
    const { made, bytes } = heldOnce(make);
    const largest = Math.max(...readings, bytes);
    if (readings.includes(largest) || readings.length === 4) return { made, bytes: largest };
    readings.push(bytes);
  }
}

function heldOnce<S>(make: () => S): { readonly made: S; readonly bytes: number } {
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const made = make();
  collectGarbage();
  return { made, bytes: process.memoryUsage().arrayBuffers - before };
}

let collect: (() => void) | undefined;

/** Collects all garbage now: the flag works at run time too, for functions of contexts that are made after it. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  // buffers are given back beside the program, and the next collection waits for that
  collect();
  collect();
}
