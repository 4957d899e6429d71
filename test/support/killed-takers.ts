import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Processes that take claims until they are killed (`claims-taker.ts`); none of them outlives its test. */
export class KilledTakers {
  readonly #running = new Map<ChildProcess, Promise<unknown>>();

  /**
   * Starts a process.
   *
   * @param program - the bundled taker
   * @param store - file or connection string
   * @param label - first part of its keys
   * @returns the process, whose answers are lines of its standard output
   */
  start(program: string, store: string, label: string): ChildProcess {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, store, label], {
      // it ends by itself when its standard input does: should this process be killed
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#running.set(child, once(child, 'exit'));
    return child;
  }

  /**
   * Kills a process in the middle of its work.
   *
   * @param child - one that was started here
   * @param count - after so many answers
   * @returns every answer that it gave
   */
  async answersUntilKill(child: ChildProcess, count: number): Promise<readonly string[]> {
    const answers: string[] = [];
    for await (const line of createInterface({ input: child.stdout! })) {
      answers.push(line);
      if (answers.length === count) child.kill('SIGKILL');
    }
    // the lock outlives the pipe by a moment
    expect(await this.#running.get(child)).toEqual([null, 'SIGKILL']);
    this.#running.delete(child);
    return answers;
  }

  /** Kills what still runs and waits for its end; for `afterEach`. */
  async end(): Promise<void> {
    const all = [...this.#running];
    this.#running.clear();
    for (const [child] of all) child.kill('SIGKILL');
    await Promise.all(all.map(([, dead]) => dead));
  }
}
