import { watch as watchPath } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { ZoneCatalogue } from '../../contract/zones';
import { IpamError, refusalOf } from '../../errors/ipam-error';
import type { Refusal } from '../../errors/outcome';
import type { Clock } from '../../ports/clock';
import type { Logger } from '../../ports/logger';
import type { Meter } from '../../ports/meter';
import type { ZoneSource } from '../../ports/zone-source';
import { parseZoneText } from '../../contract/zone-text';

/** Milliseconds between two looks at the file, for file systems that send no events. */
export const ZONE_FILE_POLL_MS = 10_000;
/** Milliseconds of rest after an event, since an editor writes a file in several steps. */
export const ZONE_FILE_SETTLE_MS = 100;

/** How a look at the file ended: taken over, refused, not readable, or the same text as before. */
export type ZoneReload = 'ok' | 'invalid' | 'unreadable' | 'unchanged';

/** Calls `onEvent` whenever something in a folder changes; returns the function that ends it. */
type WatchFolder = (folder: string, onEvent: () => void) => () => void;

/** What a {@link ZoneFile} works with. */
export interface ZoneFileOptions {
  /** YAML or JSON file; a mounted ConfigMap, where Kubernetes swaps a link in the folder, is fine. */
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  /**
   * Judges a valid document before it comes into force, the first one too; `before` is absent for that. A document with
   * objections is looked at again until they end.
   *
   * @default - every valid document comes into force
   */
  readonly objections?: (next: ZoneCatalogue, before?: ZoneCatalogue) => Promise<readonly Refusal[]>;
  /**
   * Called after every look at the file.
   *
   * @default - nobody is called
   */
  readonly onReload?: (result: ZoneReload) => void;
  /**
   * Milliseconds between two looks.
   *
   * @default 10000
   */
  readonly pollMs?: number;
  /**
   * How a folder is watched.
   *
   * @default - events of the operating system
   */
  readonly watch?: WatchFolder;
}

const watchFolder: WatchFolder = (folder, onEvent) => {
  const watcher = watchPath(folder, { persistent: false }, onEvent);
  watcher.on('error', onEvent); // a removed folder ends the events; polling goes on
  return () => {
    watcher.close();
  };
};

type FileState = { readonly text: string } | { readonly failure: string };

async function readState(path: string): Promise<FileState> {
  try {
    return { text: await readFile(path, 'utf8') };
  } catch (thrown) {
    return { failure: thrown instanceof Error ? thrown.message : 'unknown failure' };
  }
}

// Every sentence in one error, since this one ends the start.
function refusedAtStart(path: string, problems: readonly Refusal[]): IpamError {
  const lines = problems.map(({ message }) => `\n  - ${message}`).join('');
  return new IpamError('zone/invalid', `the zone document "${path}" is not valid:${lines}`);
}

/**
 * The zones of one file, read again whenever it changes.
 *
 * Any code may call `current()` at any time; a document that is not valid keeps the last good one. Looks at the file never
 * overlap. After `close()` the last catalogue stays readable and nothing is read any more.
 */
export class ZoneFile implements ZoneSource {
  private catalogue: ZoneCatalogue;
  private seen: string;
  /** The text whose objections were told last. */
  private objected = '';
  private looking: Promise<unknown> = Promise.resolve();
  private closed = false;
  private readonly listeners = new Set<() => void>();
  private cancelPoll = (): void => undefined;
  private cancelSettle = (): void => undefined;
  private endWatch = (): void => undefined;
  private readonly options: ZoneFileOptions;

  private constructor(options: ZoneFileOptions, first: { readonly catalogue: ZoneCatalogue; readonly seen: string }) {
    this.options = options;
    this.catalogue = first.catalogue;
    this.seen = first.seen;
  }

  /**
   * Reads the file and begins to watch it.
   *
   * @param options - path, ports and pauses
   * @returns the source, with a valid catalogue
   * @throws {@link IpamError} `zone/invalid` with every problem when the first document cannot be used
   */
  static async open(options: ZoneFileOptions): Promise<ZoneFile> {
    const state = await readState(options.path);
    if ('failure' in state) {
      throw new IpamError('zone/invalid', `the zone document "${options.path}" cannot be read: ${state.failure}`);
    }
    const outcome = parseZoneText(state.text);
    if (!outcome.ok) throw refusedAtStart(options.path, outcome.problems);
    const objections = (await options.objections?.(outcome.value)) ?? [];
    if (objections.length > 0) throw refusedAtStart(options.path, objections);
    const source = new ZoneFile(options, { catalogue: outcome.value, seen: state.text });
    source.startWatching();
    return source;
  }

  /**
   * Gives the zones as of the last valid document.
   *
   * @returns the catalogue, never changed in place
   */
  current(): ZoneCatalogue {
    return this.catalogue;
  }

  /**
   * Adds a listener.
   *
   * @param listener - called after another catalogue came into force
   * @returns the function that takes it away
   */
  onChange(listener: () => void): () => void {
    const own = (): void => {
      listener();
    };
    this.listeners.add(own);
    return () => {
      this.listeners.delete(own);
    };
  }

  /**
   * Looks at the file now, after looks that already run.
   *
   * @returns how it ended; it never throws
   */
  reload(): Promise<ZoneReload> {
    const result = this.looking.then(() => (this.closed ? 'unchanged' : this.look()));
    this.looking = result;
    return result;
  }

  /**
   * Ends watching.
   *
   * @returns after the last look ended
   */
  async close(): Promise<void> {
    this.closed = true;
    this.cancelPoll();
    this.cancelSettle();
    this.endWatch();
    await this.looking;
  }

  private startWatching(): void {
    const { path, watch = watchFolder, logger } = this.options;
    try {
      this.endWatch = watch(dirname(path), () => {
        this.settle();
      });
    } catch (thrown) {
      // for example out of inotify handles: the poll below still sees every change, only later
      logger.warn('zone file: changes are seen by polling only', { file: path, cause: String(thrown) });
    }
    this.poll();
  }

  private settle(): void {
    if (this.closed) return;
    this.cancelSettle();
    this.cancelSettle = this.options.clock.after(ZONE_FILE_SETTLE_MS, () => void this.reload());
  }

  private poll(): void {
    this.cancelPoll = this.options.clock.after(this.options.pollMs ?? ZONE_FILE_POLL_MS, () => {
      void this.reload().then(() => {
        if (!this.closed) this.poll();
      });
    });
  }

  private async look(): Promise<ZoneReload> {
    const state = await readState(this.options.path);
    const result = await this.take(state);
    if (result !== 'unchanged') this.options.meter.count('zones_reloads_total', { result });
    this.options.onReload?.(result);
    return result;
  }

  private async take(state: FileState): Promise<ZoneReload> {
    // a failure is remembered like a text, so that a broken file is reported once and not at every look
    const mark = 'text' in state ? state.text : `\u0000${state.failure}`;
    if (mark === this.seen) return 'unchanged';
    this.seen = mark;
    const { logger, path: file } = this.options;
    if ('failure' in state) {
      logger.error('zone file: cannot be read, the last good zones stay', { file, cause: state.failure });
      return 'unreadable';
    }
    const outcome = parseZoneText(state.text);
    if (!outcome.ok) return this.refuse(outcome.problems);
    const objections = await this.objectionsTo(outcome.value);
    if (objections.length > 0) {
      this.seen = '';
      if (this.objected === mark) return 'unchanged';
      this.objected = mark;
      return this.refuse(objections);
    }
    this.objected = '';
    this.catalogue = outcome.value;
    for (const listener of [...this.listeners]) listener();
    logger.info('zone file: new zones are in force', { file, zones: outcome.value.names.length });
    return 'ok';
  }

  private refuse(problems: readonly Refusal[]): ZoneReload {
    const { logger, path: file } = this.options;
    for (const { code, field, message } of problems) {
      logger.error('zone file: not valid, the last good zones stay', { file, code, field, problem: message });
    }
    return 'invalid';
  }

  private async objectionsTo(next: ZoneCatalogue): Promise<readonly Refusal[]> {
    try {
      return (await this.options.objections?.(next, this.catalogue)) ?? [];
    } catch (thrown) {
      return [refusalOf(thrown)];
    }
  }
}
