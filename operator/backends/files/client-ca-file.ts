import { X509Certificate } from 'node:crypto';
import { FollowedFile } from './followed-file';
import type { Tools } from '../../ports/tools';

/** Milliseconds between two looks at the file: the longest time for which a withdrawn CA still counts for new connections. */
const POLL_MS = 5_000;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/gu;

/** Options of a file of client CAs. */
export interface ClientCaFileOptions extends Pick<Tools, 'clock' | 'logger'> {
  /** PEM file with one or more CA certificates. */
  readonly path: string;
  /** Names the file in messages. */
  readonly flag: string;
}

/**
 * Reads the CA certificates that client certificates are trusted by and follows their file; a text without a certificate keeps
 * the last good one. During a rotation the file holds both.
 *
 * @param options - place, and listeners
 * @returns CA certificates, PEM
 * @throws IpamError `settings/invalid` when the file cannot be read or holds no certificate
 */
export function openClientCaFile({ path, flag, clock, logger }: ClientCaFileOptions): Promise<FollowedFile<string>> {
  return FollowedFile.open({
    paths: [path],
    clock,
    logger,
    pollMs: POLL_MS,
    parse: (text) => {
      const problem = problemOf(text);
      if (problem === undefined) return { ok: true, value: text };
      return { ok: false, problems: [{ code: 'settings/invalid', message: `the file "${path}" ${problem}` }] };
    },
    words: { file: 'client CA file', content: 'certificates' },
    unusable: { code: 'settings/invalid', title: flag },
  });
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
