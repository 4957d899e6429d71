import { statSync, type BigIntStats } from 'node:fs';

// Opens nothing: closing any descriptor of an SQLite file would drop the locks that its store has on it.
function stateOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // a folder on the way that is gone or closed
  }
}

/**
 * Remembers which file a path names. A process can go on with a file that was removed or replaced meanwhile, and everything
 * it writes there ends with it.
 *
 * @param path - a file that is open
 * @returns says what is wrong when the path names another file or none, else undefined
 */
export function followFile(path: string): () => string | undefined {
  const opened = stateOf(path);
  return () => {
    const now = stateOf(path);
    if (now !== undefined && now.ino === opened?.ino && now.dev === opened.dev) return undefined;
    return `the file "${path}" was removed or replaced while it is open; stop the operator and restore the file`;
  };
}
