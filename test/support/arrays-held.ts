import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Measures what is held in typed arrays.
 *
 * @param make - builds a structure; not async
 * @returns the structure, and the bytes of the array buffers that were made and are still held
 */
export function arraysHeld<S>(make: () => S): { readonly made: S; readonly bytes: number } {
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const made = make();
  collectGarbage();
  return { made, bytes: process.memoryUsage().arrayBuffers - before };
}

let collect: (() => void) | undefined;

// the flag works at run time too, for functions of contexts that are made after it
function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  // buffers are given back beside the program, and the next collection waits for that
  collect();
  collect();
}
