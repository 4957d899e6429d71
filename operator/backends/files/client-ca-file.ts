import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { IpamError } from '../../errors/ipam-error';
import type { Clock } from '../../ports/clock';
import type { Logger } from '../../ports/logger';

/** Milliseconds between two looks at the file: the longest time for which a withdrawn CA still counts for new connections. */
const POLL_MS = 5_000;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/gu;

/** What a {@link ClientCaFile} works with. */
export interface ClientCaFileOptions {
  /** PEM file with one or more CA certificates. */
  readonly path: string;
  /** Names the file in messages. */
  readonly flag: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The CA certificates that client certificates are trusted by, read again whenever their file changes; a text without a
 * certificate keeps the last good one. During a rotation the file holds both.
 */
export class ClientCaFile {
  readonly #options: ClientCaFileOptions;
  readonly #listeners = new Set<() => void>();
  #text: string;
  #seen: string;
  #closed = false;
  #stopPoll = (): void => undefined;

  private constructor(options: ClientCaFileOptions, text: string) {
    this.#options = options;
    this.#text = text;
    this.#seen = text;
  }

  /**
   * Reads the file and begins to follow it.
   *
   * @param options - where it is, and who is told
   * @returns what follows the file
   * @throws IpamError `settings/invalid` when the file cannot be read or holds no certificate
   */
  static async open(options: ClientCaFileOptions): Promise<ClientCaFile> {
    const { path, flag } = options;
    try {
      const text = await readFile(path, 'utf8');
      const problem = problemOf(text);
      if (problem !== undefined) throw new IpamError('settings/invalid', `${flag}: the file "${path}" ${problem}`);
      const file = new ClientCaFile(options, text);
      file.#poll();
      return file;
    } catch (cause) {
      if (cause instanceof IpamError) throw cause;
      const { code = 'unreadable' } = cause as NodeJS.ErrnoException;
      throw new IpamError('settings/invalid', `${flag}: the file "${path}" cannot be read (${code})`, { cause });
    }
  }

  /**
   * Gives the last good text.
   *
   * @returns CA certificates, PEM
   */
  current(): string {
    return this.#text;
  }

  /**
   * Tells when other certificates are in force.
   *
   * @param listener - called after each change
   * @returns the function that ends it
   */
  onChange(listener: () => void): () => void {
    const own = (): void => {
      listener();
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Looks at the file now. */
  async reload(): Promise<void> {
    const { path: file, logger } = this.#options;
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text === this.#seen) return;
    this.#seen = text;
    const problem = problemOf(text);
    if (problem !== undefined) {
      logger.error('client CA file: not usable, the last good certificates stay', { file, problem });
      return;
    }
    this.#text = text;
    logger.info('client CA file: new certificates are in force', { file });
    for (const listener of this.#listeners) listener();
  }

  /** Ends the looks. Idempotent. */
  close(): void {
    this.#closed = true;
    this.#stopPoll();
  }

  #poll(): void {
    this.#stopPoll = this.#options.clock.after(POLL_MS, () => {
      void this.reload().then(() => {
        if (!this.#closed) this.#poll();
      });
    });
  }
}

function problemOf(text: string): string | undefined {
  const found = text.match(CERTIFICATE) ?? [];
  if (found.length === 0) return 'holds no certificate in PEM form';
  try {
    for (const each of found) new X509Certificate(each);
    return undefined;
  } catch {
    return 'holds a certificate that cannot be read';
  }
}
