import { readFile } from 'node:fs/promises';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { checkSecret } from '../../rules/secrets';

/** Reads standard input to its end. */
export type ReadInput = () => Promise<Buffer>;

/**
 * Reads a file of the command line.
 *
 * @param path - the file, or `-` for standard input
 * @param options - `name` of the option for messages; `input` reads standard input
 * @returns its bytes, or `settings/invalid`
 */
export async function readInput(
  path: string,
  { name, input }: { readonly name: string; readonly input: ReadInput },
): Promise<Outcome<Buffer>> {
  try {
    return accept(path === '-' ? await input() : await readFile(path));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    return refuse('settings/invalid', `${name}: "${path}" cannot be read (${code})`);
  }
}

/**
 * Reads a secret from a file or standard input, never from the arguments, which every user of the machine can see.
 *
 * @param path - the file, or `-` for standard input; one line feed at the end does not count
 * @param input - reads standard input
 * @returns the secret, or `settings/invalid` without it
 */
export async function readSecret(path: string, input: ReadInput): Promise<Outcome<string>> {
  const bytes = await readInput(path, { name: '--secret-file', input });
  return bytes.ok ? checkSecret(bytes.value.toString('utf8').replace(/\r?\n$/u, ''), '--secret-file') : bytes;
}
