#!/usr/bin/env node
import { buffer } from 'node:stream/consumers';
import { runCommand } from './program';

async function main(): Promise<void> {
  process.exitCode = await runCommand(process.argv.slice(2), {
    env: process.env,
    input: () => buffer(process.stdin),
    output: process.stdout,
    errors: process.stderr,
  });
}

main().catch((thrown: unknown) => {
  // a fault of the program: its trace names no object of a user
  console.error(thrown);
  process.exitCode = 4;
});
