#!/usr/bin/env node
import { rmSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { nodeProblem } from '../runtime/node-version';
import { EXIT } from './output/exit-codes';
import { runCommand } from './program';

/** Exit codes of a shell for a program that a signal ended. */
const ENDED_BY = { SIGINT: 130, SIGTERM: 143 } as const;

async function main(): Promise<void> {
  const problem = nodeProblem('ipam', process.versions.node);
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`);
    process.exitCode = EXIT.usage;
    return;
  }
  for (const stream of [process.stdout, process.stderr]) stream.on('error', leaveClosed);
  process.exitCode = await runCommand(process.argv.slice(2), {
    env: process.env,
    input: () => buffer(process.stdin),
    output: process.stdout,
    errors: process.stderr,
    drafts: draftsOf(process),
  });
}

// A reader that has seen enough, such as `head`, is no failure: what the command changed counts.
function leaveClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

// With a listener a signal waits for the step under way, so that `restore` never leaves a store half in its place.
function draftsOf(around: NodeJS.Process): Set<string> {
  const drafts = new Set<string>();
  for (const [name, code] of Object.entries(ENDED_BY)) {
    around.once(name, () => {
      for (const draft of drafts) rmSync(draft, { recursive: true, force: true });
      around.exit(code);
    });
  }
  return drafts;
}

main().catch((thrown: unknown) => {
  // a fault of the program: its trace names no object of a user
  console.error(thrown);
  process.exitCode = 4;
});
