import { dirname, join } from 'node:path/posix';

const TESTS = 'test/unit';

/** Trees whose tests stand in a folder of the same name; every other folder of the unit tests is one of `operator`. */
const NAMED_TREES = /^(constructs|infra|examples)(\/|$)/u;

/**
 * Finds the folders of unit tests that mirror no folder of the sources.
 *
 * @param tests - paths of the test files, from the root of the package
 * @param sources - paths of the source files, from the root of the package
 * @returns each folder without counterpart, with the one that was looked for
 */
export function strayTestFolders(
  tests: readonly string[],
  sources: readonly string[],
): readonly { readonly folder: string; readonly mirrors: string }[] {
  const known = new Set(sources.flatMap(foldersAbove));
  return [...new Set(tests.map(dirname))]
    .map((folder) => ({ folder, mirrors: mirrored(folder) }))
    .filter(({ mirrors }) => !known.has(mirrors))
    .toSorted((one, other) => one.folder.localeCompare(other.folder));
}

function mirrored(folder: string): string {
  const inner = folder.slice(TESTS.length + 1);
  return NAMED_TREES.test(inner) ? inner : join('operator', inner);
}

function foldersAbove(file: string): readonly string[] {
  const folder = dirname(file);
  return folder === '.' ? [] : [folder, ...foldersAbove(folder)];
}
