import { readFile } from 'node:fs/promises';
import type { ClientProps } from '../../contract/ipam-api/v3/clients';
import { parseClientsText } from '../../contract/ipam-api/v3/clients-text';
import { IpamError } from '../../errors/ipam-error';
import type { Clock } from '../../ports/clock';
import type { Logger } from '../../ports/logger';

/** Milliseconds between two looks at the file: the longest time for which a withdrawn token still counts. */
const CLIENTS_FILE_POLL_MS = 5_000;

/** What a {@link ClientsFile} works with. */
export interface ClientsFileOptions {
  /** YAML or JSON file; a mounted Secret or ConfigMap is fine. */
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The clients of the IPAM-API from one file, read again whenever it changes; a document that is not valid keeps the last good
 * one. After `close()` the last clients stay readable and nothing is read any more.
 */
export class ClientsFile {
  readonly #options: ClientsFileOptions;
  #clients: readonly ClientProps[];
  #seen: string;
  #closed = false;
  #stopPoll = (): void => undefined;

  private constructor(options: ClientsFileOptions, first: { clients: readonly ClientProps[]; seen: string }) {
    this.#options = options;
    this.#clients = first.clients;
    this.#seen = first.seen;
  }

  /**
   * Reads the file and begins to follow it.
   *
   * @param options - where it is, and who is told
   * @returns what follows the file
   * @throws IpamError `settings/invalid` with every problem when the first document cannot be used
   */
  static async open(options: ClientsFileOptions): Promise<ClientsFile> {
    const text = await textOf(options.path);
    if (text === undefined)
      throw new IpamError('settings/invalid', `the clients file "${options.path}" cannot be read`);
    const outcome = parseClientsText(text);
    if (!outcome.ok) {
      const lines = outcome.problems.map(({ message }) => `\n  - ${message}`).join('');
      throw new IpamError('settings/invalid', `the clients file "${options.path}" is not valid:${lines}`);
    }
    const file = new ClientsFile(options, { clients: outcome.value, seen: text });
    file.#poll();
    return file;
  }

  /**
   * Gives what the last valid document said.
   *
   * @returns who may call; another list after each change
   */
  current(): readonly ClientProps[] {
    return this.#clients;
  }

  /** Looks at the file now. */
  async reload(): Promise<void> {
    const { path: file, logger } = this.#options;
    const text = await textOf(file);
    const mark = text ?? '\u0000';
    if (mark === this.#seen) return;
    this.#seen = mark;
    const outcome = text === undefined ? undefined : parseClientsText(text);
    if (outcome?.ok === true) {
      this.#clients = outcome.value;
      logger.info('clients file: new clients are in force', { file, count: outcome.value.length });
      return;
    }
    const problem = outcome?.problems[0]?.message ?? 'it cannot be read';
    logger.error('clients file: not valid, the last good clients stay', { file, problem });
  }

  /** Ends the looks. Idempotent. */
  close(): void {
    this.#closed = true;
    this.#stopPoll();
  }

  #poll(): void {
    this.#stopPoll = this.#options.clock.after(CLIENTS_FILE_POLL_MS, () => {
      void this.reload().then(() => {
        if (!this.#closed) this.#poll();
      });
    });
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}
