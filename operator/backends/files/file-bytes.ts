import { stat } from 'node:fs/promises';

/**
 * Counts the bytes of files.
 *
 * @param paths - files; one that is not there counts as empty
 * @returns bytes of all of them
 */
export async function fileBytes(...paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
