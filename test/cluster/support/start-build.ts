import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildRuns } from '../components/build';
import { COMPONENTS, failurePath } from '../components/recipes';
import { binaryPath } from './binaries';
import { eventually } from './eventually';
import { startProgram } from './own-process';

const ROOT = join(__dirname, '../../..');

/** Starts the build of missing programs, which goes on while the first tests run. */
export async function startBuild(): Promise<void> {
  const missing = COMPONENTS.filter((component) => !existsSync(binaryPath(component)));
  if (missing.length > 0 && !buildRuns()) {
    console.log(`\nbuilding ${missing.join(', ')}: up to an hour, once per machine`);
    // what an earlier build left; whoever waits would take it for news
    for (const component of missing) rmSync(failurePath(component), { force: true });
    const build = await startProgram({
      program: process.execPath,
      args: [join(ROOT, 'node_modules/tsx/dist/cli.mjs'), join(ROOT, 'test/cluster/components/build.ts'), ...missing],
      logFile: '/dev/stderr',
      cwd: ROOT,
    });
    await eventually(() => buildRuns() || !build.running());
  }
}
