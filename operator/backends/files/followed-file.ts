import { watch as watchPath } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ErrorCode } from '../../errors/catalogue';
import { IpamError, refusalOf } from '../../errors/ipam-error';
import type { Refusal } from '../../errors/outcome';
import type { LogFields } from '../../ports/logger';
import type { Tools } from '../../ports/tools';

/** Milliseconds of rest after an event, since a writer needs several steps. */
export const SETTLE_MS = 100;

/** How a look at the file ended: taken over, refused, not readable, or nothing new. */
export type FileLook = 'ok' | 'invalid' | 'unreadable' | 'unchanged';

/** Calls `onEvent` whenever something in a folder changes; returns the function that ends it. */
export type WatchFolder = (folder: string, onEvent: () => void) => () => void;

type Parsed<V> =
  { readonly ok: true; readonly value: V } | { readonly ok: false; readonly problems: readonly Refusal[] };

/** Options of a {@link FollowedFile}. */
export interface FollowedFileOptions<V> extends Pick<Tools, 'clock' | 'logger'> {
  /** One file, or several that make sense together only. Mounted Secrets and ConfigMaps, whose folder swaps a link, are fine. */
  readonly paths: readonly [string, ...string[]];
  /** Makes the value of the texts of `paths`, or says everything that is wrong. */
  readonly parse: (...texts: readonly string[]) => Parsed<V>;
  /** How log lines call the file and what it holds: `zone file` and `zones`. */
  readonly words: { readonly file: string; readonly content: string };
  /** Said of the first text when it cannot be used: code, and the beginning of the message. */
  readonly unusable: { readonly code: ErrorCode; readonly title: string };
  /** Milliseconds between two looks, also where events come: some file systems send none. */
  readonly pollMs: number;
  /**
   * How the folder of the files is watched beside that.
   *
   * @default - it is not
   */
  readonly watch?: WatchFolder;
  /**
   * Judges a valid value before it comes into force, the first one too; `before` is absent for that. A value with objections is
   * judged again until they end.
   *
   * @default - every valid value comes into force
   */
  readonly objections?: (next: V, before?: V) => Promise<readonly Refusal[]>;
  /**
   * Called after every look.
   *
   * @default - there is no listener
   */
  readonly onLook?: (result: FileLook) => void;
}

/**
 * Watches a folder by events of the operating system.
 *
 * @param folder - that exists
 * @param onEvent - called at each change in it
 * @returns the function that ends it
 */
export const watchFolder: WatchFolder = (folder, onEvent) => {
  const watcher = watchPath(folder, { persistent: false }, onEvent);
  watcher.on('error', onEvent); // a removed folder ends the events; polling goes on
  return () => {
    watcher.close();
  };
};

/** Texts as they were read, with a mark that tells them from others; or why they cannot be read. */
type Seen =
  | { readonly kind: 'read'; readonly mark: string; readonly texts: readonly string[] }
  | { readonly kind: 'unreadable'; readonly refusal: Refusal };

/**
 * The value that a file holds, read again whenever the file changes. What cannot be used is told once and keeps the last good
 * value.
 *
 * Any code may call `current()` at any time; looks never overlap. After `close()` the last value stays readable and nothing is
 * read any more.
 */
export class FollowedFile<V> {
  readonly #options: FollowedFileOptions<V>;
  readonly #listeners = new Set<(value: V) => void>();
  #value: V;
  /** Of the text in force, and when it was last found in the file. */
  #good: string;
  #goodAtMs: number;
  /** Of what the last look found; empty where the next look must judge it again. */
  #seen: string;
  /** Of the text whose objections were told last. */
  #objected = '';
  #problem: string | undefined;
  #looking: Promise<unknown> = Promise.resolve();
  #closed = false;
  #cancelPoll = (): void => undefined;
  #cancelSettle = (): void => undefined;
  #endWatch = (): void => undefined;

  private constructor(options: FollowedFileOptions<V>, first: { readonly value: V; readonly mark: string }) {
    this.#options = options;
    this.#value = first.value;
    this.#good = first.mark;
    this.#seen = first.mark;
    this.#goodAtMs = options.clock.nowMs();
  }

  /**
   * Reads the file and begins to follow it.
   *
   * @param options - where it is, content, listeners
   * @returns what follows the file, with a good value
   * @throws {@link IpamError} with the code of `unusable` and every problem when the first text cannot be used
   */
  static async open<V>(options: FollowedFileOptions<V>): Promise<FollowedFile<V>> {
    const seen = await readAll(options);
    if (seen.kind === 'unreadable') throw refusedAtStart(options, [seen.refusal]);
    const parsed = options.parse(...seen.texts);
    if (!parsed.ok) throw refusedAtStart(options, parsed.problems);
    const objections = (await options.objections?.(parsed.value)) ?? [];
    if (objections.length > 0) throw refusedAtStart(options, objections);
    const file = new FollowedFile(options, { value: parsed.value, mark: seen.mark });
    file.#follow();
    return file;
  }

  /**
   * Gives the last good value.
   *
   * @returns what is in force, never changed in place
   */
  current(): V {
    return this.#value;
  }

  /**
   * Tells why what the file holds now is not in force.
   *
   * @returns the first problem, or undefined while all is well
   */
  problem(): string | undefined {
    return this.#problem;
  }

  /**
   * Adds a listener.
   *
   * @param listener - called after another value came into force
   * @returns the function that takes it away
   */
  onChange(listener: (value: V) => void): () => void {
    const own = (value: V): void => {
      listener(value);
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /**
   * Looks at the file now, after looks that already run.
   *
   * @returns how it ended; it never throws
   */
  reload(): Promise<FileLook> {
    const result = this.#looking.then(() => (this.#closed ? 'unchanged' : this.#look()));
    this.#looking = result;
    return result;
  }

  /**
   * Ends the looks. Idempotent.
   *
   * @returns after the last look ended
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelPoll();
    this.#cancelSettle();
    this.#endWatch();
    await this.#looking;
  }

  #follow(): void {
    const { paths, watch, words, logger } = this.#options;
    this.#poll();
    try {
      if (watch === undefined) return;
      this.#endWatch = watch(dirname(paths[0]), () => {
        this.#settle();
      });
    } catch (thrown) {
      // for example out of inotify handles: the poll still sees every change, only later
      logger.warn(`${words.file}: changes are seen by polling only`, { file: paths[0], cause: String(thrown) });
    }
  }

  #settle(): void {
    if (this.#closed) return;
    this.#cancelSettle();
    this.#cancelSettle = this.#options.clock.after(SETTLE_MS, () => void this.reload());
  }

  #poll(): void {
    this.#cancelPoll = this.#options.clock.after(this.#options.pollMs, () => {
      void this.reload().then(() => {
        if (!this.#closed) this.#poll();
      });
    });
  }

  async #look(): Promise<FileLook> {
    const result = await this.#take(await readAll(this.#options));
    if (this.#seen === this.#good) this.#goodAtMs = this.#options.clock.nowMs();
    this.#options.onLook?.(result);
    return result;
  }

  async #take(seen: Seen): Promise<FileLook> {
    // a failure is remembered like a text, so that a broken file is told once and not at every look
    const mark = seen.kind === 'unreadable' ? seen.refusal.message : seen.mark;
    if (mark === this.#seen) return 'unchanged';
    this.#seen = mark;
    if (seen.kind === 'unreadable') return this.#refuse('unreadable', [seen.refusal]);
    if (mark === this.#good) return this.#settled('usable again, as before');
    const parsed = this.#options.parse(...seen.texts);
    if (!parsed.ok) return this.#refuse('invalid', parsed.problems);
    const objections = await this.#objectionsTo(parsed.value);
    if (objections.length > 0) {
      this.#seen = '';
      if (this.#objected === mark) return 'unchanged';
      this.#objected = mark;
      return this.#refuse('invalid', objections);
    }
    this.#value = parsed.value;
    this.#good = mark;
    for (const listener of [...this.#listeners]) listener(parsed.value);
    return this.#settled(`new ${this.#options.words.content} are in force`);
  }

  #settled(what: string): FileLook {
    const { words, logger, paths } = this.#options;
    this.#objected = '';
    this.#problem = undefined;
    logger.info(`${words.file}: ${what}`, { file: paths.join(', ') });
    return 'ok';
  }

  #refuse(look: FileLook, problems: readonly Refusal[]): FileLook {
    const { words, logger, paths } = this.#options;
    this.#problem = problems[0]?.message;
    const message = `${words.file}: not usable, the last good ${words.content} stay`;
    const lastSeen = new Date(this.#goodAtMs).toISOString();
    for (const { code, field, message: problem } of problems) {
      const at: LogFields = field === undefined ? {} : { field };
      logger.error(message, { file: paths.join(', '), code, ...at, problem, lastSeen });
    }
    return look;
  }

  async #objectionsTo(next: V): Promise<readonly Refusal[]> {
    try {
      return (await this.#options.objections?.(next, this.#value)) ?? [];
    } catch (thrown) {
      return [refusalOf(thrown)];
    }
  }
}

async function readAll<V>({ paths, unusable }: FollowedFileOptions<V>): Promise<Seen> {
  const texts: string[] = [];
  for (const path of paths) {
    try {
      texts.push(await readFile(path, 'utf8'));
    } catch (thrown) {
      const { code = 'unreadable' } = thrown as NodeJS.ErrnoException;
      const message = `the file "${path}" cannot be read (${code})`;
      return { kind: 'unreadable', refusal: { code: unusable.code, message } };
    }
  }
  return { kind: 'read', mark: JSON.stringify(texts), texts };
}

// Every sentence in one error, since this one ends the start.
function refusedAtStart<V>({ unusable }: FollowedFileOptions<V>, problems: readonly Refusal[]): IpamError {
  const [first, ...others] = problems.map(({ message }) => message);
  const all =
    others.length === 0 ? ` ${first ?? ''}` : [first, ...others].map((line) => `\n  - ${line ?? ''}`).join('');
  return new IpamError(unusable.code, `${unusable.title}:${all}`);
}
