#!/usr/bin/env node
import { nodeProblem } from './runtime/node-version';
import { startApplication } from './application';
import { isIpamError } from './errors/ipam-error';
import { helpText } from './settings/help-text';
import { parseSettings } from './settings/parse-settings';

/** Exit codes: 2 for wrong settings, 1 for a start that failed; 0 for an orderly end. */
const WRONG_SETTINGS = 2;

async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const problem = nodeProblem('ipam-operator', process.versions.node);
  if (problem !== undefined) {
    console.error(problem);
    process.exitCode = WRONG_SETTINGS;
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
  const application = await startApplication(settings.value, undefined, { environment: env });
  const end = (): void => {
    application.stop().catch(fail);
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
}

function fail(thrown: unknown): void {
  // Foreign errors keep their trace: at this point no object of a user is in it.
  console.error(isIpamError(thrown) ? `${thrown.code}: ${thrown.message}` : thrown);
  process.exitCode = isIpamError(thrown, 'settings/invalid') ? WRONG_SETTINGS : 1;
}

main(process.argv.slice(2), process.env).catch(fail);
