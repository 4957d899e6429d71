import { Session, type Profiler } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const SCRIPTS = 'operator/addressing/';

/**
 * Counts the work of the address arithmetic by the coverage of the engine, so that the measured code holds no counter.
 *
 * @param run - the work; not async
 * @returns how often the busiest function, branch or loop body was entered
 * @remarks Exact and repeatable, since no clock has a part in it. The sum of all blocks would be neither: the engine leaves a block
 * out that was entered as often as the one around it.
 */
export function busiestBlock(run: () => void): number {
  const session = new Session();
  session.connect();
  try {
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    // the first answer holds what was entered before
    scriptsCovered(session);
    run();
    const counts = scriptsCovered(session)
      .filter(({ url }) => url.includes(SCRIPTS))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
    return counts.reduce((most, count) => Math.max(most, count), 0);
  } finally {
    session.disconnect();
  }
}

function scriptsCovered(session: Session): readonly Profiler.ScriptCoverage[] {
  let covered: readonly Profiler.ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw error;
    covered = result;
  });
  return covered;
}

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
