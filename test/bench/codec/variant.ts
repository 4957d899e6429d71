import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';

const ANSWER_MILLISECONDS = 60_000;

/** A running child process that measures one library and one operation. */
export class Variant {
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  constructor(command: string, args: readonly string[], texts: readonly string[]) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    if (this.#child.stdout === null) throw new TypeError('the child has no standard output');
    this.#lines = createInterface({ input: this.#child.stdout });
    this.#child.stdin?.write(`${texts.join('\n')}\n\n`);
  }

  /** Nanoseconds of CPU time per operation. */
  async sample(): Promise<number> {
    const answer = once(this.#lines, 'line', { signal: AbortSignal.timeout(ANSWER_MILLISECONDS) });
    this.#child.stdin?.write('sample\n');
    const [line] = (await answer) as [string];
    return Number(line);
  }

  stop(): void {
    this.#child.stdin?.end();
    this.#child.kill();
  }
}

/** Starts one of our own or another JavaScript library, under the same loader as this process. */
export function startSampler(library: string, operation: string, texts: readonly string[]): Variant {
  const script = join(__dirname, 'sampler.ts');
  return new Variant(process.execPath, [...process.execArgv, script, library, operation], texts);
}

/** The reference in Go, built for this run. */
export interface GoReference {
  start(operation: string, texts: readonly string[]): Variant;
  remove(): void;
}

/** Builds the reference; undefined where Go is not installed. */
export function buildGoReference(): GoReference | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'ipam-bench-'));
  const program = join(folder, 'netip');
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  const build = (go: string): boolean =>
    spawnSync(go, ['build', '-o', program, '.'], {
      cwd: join(__dirname, '../ref/netip'),
      env: { ...process.env, GOTOOLCHAIN: 'local' },
      timeout: 120_000,
    }).status === 0;
  if (['go', '/usr/local/go/bin/go'].some(build)) {
    return { start: (operation, texts) => new Variant(program, [operation], texts), remove };
  }
  remove();
  return undefined;
}
