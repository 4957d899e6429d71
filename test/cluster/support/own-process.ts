import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { Hopeless } from './eventually';

/** How a program is started. */
export interface ProgramStart {
  readonly program: string;
  readonly args: readonly string[];
  /** File for everything that it prints. */
  readonly logFile: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A program that runs because we started it. */
export interface OwnProcess {
  readonly pid: number;
  readonly logFile: string;
  /** True until it has ended. */
  running(): boolean;
  /** Settles when it has ended: exit code, or the signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, and SIGKILL after the grace. */
  stop(graceMs?: number): Promise<void>;
  /** Output so far. */
  log(): string;
  /** Throws with the end of the log when it has ended. */
  expectRunning(): void;
}

/** Heap of a program that stores few objects, and how much more it may take for each thousand of many, MiB. */
const [HEAP_MIB, HEAP_OF_THOUSAND_MIB] = [768, 100];

/**
 * Makes the environment of programs in Go that live for one file of tests: a heap that may grow fivefold before it is collected saves a
 * seventh of all that a control plane computes, which is most at its start. From the limit on they collect as usual; where what is
 * live comes near to it they would do hardly anything else.
 *
 * @param objects - that the tests store; few by default
 */
export const shortLived = (objects = 0): Readonly<Record<'GOGC' | 'GOMEMLIMIT', string>> => ({
  GOGC: '400',
  GOMEMLIMIT: `${String(HEAP_MIB + Math.ceil((objects * HEAP_OF_THOUSAND_MIB) / 1_000))}MiB`,
});

const GRACE_MS = 2_000;
const SHOWN_LOG = 4_000;

/**
 * Starts a program that cannot outlive us: `setpriv` asks the kernel to kill it when this process dies, however it dies, and
 * then becomes the program, so the id is the program's own.
 */
export async function startProgram({ program, args, logFile, env, cwd }: ProgramStart): Promise<OwnProcess> {
  const log = openSync(logFile, 'a');
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...args], {
    stdio: ['ignore', log, log],
    ...(env && { env: { PATH: process.env['PATH'], ...env } }),
    ...(cwd !== undefined && { cwd }),
  });
  closeSync(log);
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  ended.catch(() => undefined); // a failed spawn is told below
  await once(child, 'spawn');
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  const read = (): string => readFileSync(logFile, 'utf8');
  return {
    pid: child.pid ?? 0,
    logFile,
    running,
    ended,
    log: read,
    kill: (signal) => child.kill(signal),
    stop: async (graceMs = GRACE_MS) => {
      if (!running()) return;
      const hard = setTimeout(() => child.kill('SIGKILL'), graceMs);
      child.kill('SIGTERM');
      await ended;
      clearTimeout(hard);
    },
    expectRunning: () => {
      if (!running()) throw new Hopeless(`${program} has ended:\n${read().slice(-SHOWN_LOG)}`);
    },
  };
}
