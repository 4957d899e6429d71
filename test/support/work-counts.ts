import { Session, type Profiler } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';

const SCRIPTS = 'operator/addressing/';

// A function has counters where it was compiled after this began. So this module comes before those that it measures, and no code is taken from
// a test file that ran in this process before, or compiled again later.
setFlagsFromString('--no-compilation-cache');
setFlagsFromString('--no-flush-bytecode');
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
afterAll(() => {
  session.disconnect();
  // the files that this process runs afterwards need none of it, and would pay for it
  setFlagsFromString('--compilation-cache');
  setFlagsFromString('--flush-bytecode');
});

/**
 * Counts the work of the address arithmetic by the coverage of the engine, so that the measured code holds no counter. Import this first.
 *
 * @param run - the work; not async
 * @returns how often the busiest function, branch or loop body was entered
 * @remarks Exact and repeatable, since no clock has a part in it. The sum of all blocks would be neither: the engine leaves a block
 * out that was entered as often as the one around it.
 */
export function busiestBlock(run: () => void): number {
  // the first answer holds what was entered before
  scriptsCovered();
  run();
  const counts = scriptsCovered()
    .filter(({ url }) => url.includes(SCRIPTS))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
  const most = counts.reduce((busiest, count) => Math.max(busiest, count), 0);
  if (most === 0) throw new RangeError(`no code of ${SCRIPTS} was counted; import work-counts before it`);
  return most;
}

function scriptsCovered(): readonly Profiler.ScriptCoverage[] {
  let covered: readonly Profiler.ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw error;
    covered = result;
  });
  return covered;
}
