import { X509Certificate } from 'node:crypto';
import { watch, type FSWatcher } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { IpamError, valueOf } from '../errors/ipam-error';
import { accept, refuse, type Outcome } from '../errors/outcome';
import type { CertificatePair, CertificateSource } from '../ports/certificates';
import type { Clock } from '../ports/clock';
import type { Logger } from '../ports/logger';
import type { Meter } from '../ports/meter';

export type { CertificatePair, CertificateSource };

/** Time between two looks at the folder, beside its change events, which some mounts never send. */
export const CERTIFICATE_POLL_MS = 10_000;
/** Time for a writer to finish both files after the first change event. */
const SETTLE_MS = 50;

/** What a source needs of its surroundings. */
export interface CertificateSurroundings {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
}

/** Where the files are. */
export interface CertificateFolder extends CertificateSurroundings {
  readonly folder: string;
  /** File name of the chain, for example `tls.crt`. */
  readonly certificateName: string;
  /** File name of the key, for example `tls.key`. */
  readonly keyName: string;
}

/**
 * Proves that a pair can serve: both are PEM and belong together.
 *
 * @param pair - chain and key
 * @returns the leaf certificate, or refusal `certificate/invalid` that never quotes the key
 */
export function checkPair(pair: CertificatePair): Outcome<X509Certificate> {
  try {
    createSecureContext({ cert: pair.certificate, key: pair.key });
    return accept(new X509Certificate(pair.certificate));
  } catch (error) {
    const code = (error as { readonly code?: unknown }).code;
    const mismatch = code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH';
    return refuse(
      'certificate/invalid',
      mismatch ? 'the private key belongs to another certificate' : 'certificate or key is not complete PEM',
    );
  }
}

/**
 * Tells whether a certificate is out of its time.
 *
 * @param pair - a good pair
 * @param nowMs - milliseconds since 1970
 * @returns a sentence for readiness, or undefined
 */
export function datesProblem(pair: CertificatePair, nowMs: number): string | undefined {
  const leaf = new X509Certificate(pair.certificate);
  if (nowMs > leaf.validToDate.getTime()) return `the serving certificate ended at ${leaf.validToDate.toISOString()}`;
  if (nowMs < leaf.validFromDate.getTime())
    return `the serving certificate begins at ${leaf.validFromDate.toISOString()}`;
  return undefined;
}

/**
 * Serves the certificate of a folder and follows its changes, also those of mounted Secrets, which swap a symlink.
 * A pair that is half written or does not match keeps the old one.
 *
 * @param options - folder, file names, surroundings
 * @returns the source, with a good pair
 * @throws {@link IpamError} `certificate/invalid` when the folder has no good pair at start
 */
export async function openCertificateFolder(options: CertificateFolder): Promise<CertificateSource> {
  return FolderCertificate.open(options);
}

class FolderCertificate implements CertificateSource {
  readonly #options: CertificateFolder;
  readonly #listeners = new Set<(pair: CertificatePair) => void>();
  #pair: CertificatePair;
  #watcher: FSWatcher | undefined;
  #stopPoll: (() => void) | undefined;
  #stopSettle: (() => void) | undefined;
  #closed = false;
  #reported: string | undefined;

  private constructor(options: CertificateFolder, pair: CertificatePair) {
    this.#options = options;
    this.#pair = pair;
  }

  static async open(options: CertificateFolder): Promise<FolderCertificate> {
    const pair = await readPair(options);
    valueOf(explain(options, checkPair(pair)));
    const source = new FolderCertificate(options, pair);
    source.#watch();
    source.#poll();
    return source;
  }

  current(): CertificatePair {
    return this.#pair;
  }

  onChange(listener: (pair: CertificatePair) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  problem(): string | undefined {
    return datesProblem(this.#pair, this.#options.clock.nowMs());
  }

  close(): void {
    this.#closed = true;
    this.#watcher?.close();
    this.#stopPoll?.();
    this.#stopSettle?.();
    this.#listeners.clear();
  }

  #watch(): void {
    try {
      this.#watcher = watch(this.#options.folder, { persistent: false }, () => {
        this.#settle();
      });
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch {
      // Out of inotify watches: the poll alone finds changes, later.
      this.#options.logger.warn('the certificate folder cannot be watched; changes are found by polling', {
        folder: this.#options.folder,
      });
    }
  }

  #settle(): void {
    this.#stopSettle ??= this.#options.clock.after(SETTLE_MS, () => {
      this.#stopSettle = undefined;
      void this.#reload();
    });
  }

  #poll(): void {
    this.#stopPoll = this.#options.clock.after(CERTIFICATE_POLL_MS, () => {
      void this.#reload().finally(() => {
        if (!this.#closed) this.#poll();
      });
    });
  }

  async #reload(): Promise<void> {
    const pair = await readPair(this.#options).catch((error: unknown) => error as IpamError);
    if (this.#closed) return;
    if (pair instanceof IpamError) {
      this.#keepOld(pair.message);
      return;
    }
    if (pair.certificate === this.#pair.certificate && pair.key === this.#pair.key) {
      this.#reported = undefined;
      return;
    }
    const checked = explain(this.#options, checkPair(pair));
    if (checked.ok) this.#swap(pair, checked.value);
    else this.#keepOld(checked.refusal.message);
  }

  #swap(pair: CertificatePair, leaf: X509Certificate): void {
    this.#pair = pair;
    this.#reported = undefined;
    const { logger, meter, folder } = this.#options;
    meter.count('certificate_reloads_total', { result: 'loaded' });
    logger.info('serving certificate reloaded', {
      folder,
      serial: leaf.serialNumber,
      notAfter: leaf.validToDate.toISOString(),
    });
    for (const listener of [...this.#listeners]) listener(pair);
  }

  // Said once for each problem, counted each time, so that an alert stays on while the problem does.
  #keepOld(problem: string): void {
    const { logger, meter, folder } = this.#options;
    meter.count('certificate_reloads_total', { result: 'kept_old' });
    if (problem !== this.#reported)
      logger.warn('serving certificate not reloaded; the old one stays', { folder, problem });
    this.#reported = problem;
  }
}

async function readPair(options: CertificateFolder): Promise<CertificatePair> {
  const [certificate, key] = await Promise.all([
    readText(join(options.folder, options.certificateName)),
    readText(join(options.folder, options.keyName)),
  ]);
  return { certificate, key };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new IpamError('certificate/invalid', `file "${path}" cannot be read (${code})`, { cause });
  }
}

function explain<V>({ folder, certificateName, keyName }: CertificateFolder, outcome: Outcome<V>): Outcome<V> {
  if (outcome.ok) return outcome;
  const message = `"${certificateName}" and "${keyName}" in "${folder}" cannot be used: ${outcome.refusal.message}`;
  return refuse('certificate/invalid', message);
}
