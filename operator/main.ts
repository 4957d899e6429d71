#!/usr/bin/env node
// first: until it is loaded, a signal is lost
import { END_SIGNAL } from './runtime/end-signal';
import { flushCompileCache } from 'node:module';
import { nodeProblem } from './runtime/node-version';
import { versionText } from './runtime/version-text';
import { startApplication } from './application';
import { isIpamError } from './errors/ipam-error';
import { helpText } from './settings/help-text';
import type { Settings } from './settings/options';
import { parseSettings } from './settings/parse-settings';

/** Exit codes: 2 for wrong settings, 1 for a start that failed; 0 for an orderly end. */
const WRONG_SETTINGS = 2;

/** Longest time that a start takes to end after a signal, in milliseconds; what still waits for an answer then is left. */
const START_END_MS = 5_000;

async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const problem = nodeProblem('ipam-operator', process.versions.node);
  if (problem !== undefined) {
    console.error(problem);
    process.exitCode = WRONG_SETTINGS;
    return;
  }
  if (argv.includes('--version')) {
    console.log(`ipam-operator ${versionText()}`);
    return;
  }
  if (argv.includes('--help')) {
    console.log(helpText());
    return;
  }
  const settings = parseSettings({ argv, env });
  if (!settings.ok) {
    for (const { message } of settings.problems) console.error(message);
    process.exitCode = WRONG_SETTINGS;
    return;
  }
  await run(settings.value, env);
}

async function run(settings: Settings, environment: NodeJS.ProcessEnv): Promise<void> {
  const cut = (): void => {
    setTimeout(() => process.exit(), START_END_MS).unref();
  };
  END_SIGNAL.addEventListener('abort', cut);
  try {
    const application = await startApplication(settings, undefined, { environment, ending: END_SIGNAL });
    END_SIGNAL.removeEventListener('abort', cut);
    // Node.js writes it at an orderly end only, which a container that is killed never has
    flushCompileCache();
    END_SIGNAL.addEventListener('abort', () => {
      application.stop().catch(fail);
    });
  } catch (thrown) {
    // after a signal, what a step of the start throws tells of its end alone
    if (!END_SIGNAL.aborted) throw thrown;
  }
}

function fail(thrown: unknown): void {
  // Foreign errors keep their trace: at this point no object of a user is in it.
  console.error(isIpamError(thrown) ? `${thrown.code}: ${thrown.message}` : thrown);
  process.exitCode = isIpamError(thrown, 'settings/invalid') ? WRONG_SETTINGS : 1;
}

main(process.argv.slice(2), process.env).catch(fail);
