import { closeSync, openSync, writeSync } from 'node:fs';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { UNWRITABLE } from './unwritable';

/** A new file that only its owner may read. */
export interface SecretTarget {
  /** Writes the secret, without a line feed. */
  write(secret: string): void;
  /** Lets go of the file; one that nothing was written to stays for the caller to remove. */
  close(): void;
}

/** Why a file cannot be made. */
const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'it is there already, and nothing is overwritten',
  ...UNWRITABLE,
};

/**
 * Makes the file before anything is asked for, so that no secret is read that cannot be written.
 *
 * @param path - of the file
 * @returns the file, or `settings/invalid`
 */
export function openSecretTarget(path: string): Outcome<SecretTarget> {
  try {
    const file = openSync(path, 'wx', 0o600);
    return accept({
      write: (secret) => {
        writeSync(file, secret);
      },
      close: () => {
        closeSync(file);
      },
    });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    return refuse('settings/invalid', `--to: "${path}" cannot be made (${REASONS[code] ?? code})`);
  }
}
