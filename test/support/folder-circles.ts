import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';

import ts from 'typescript';

/** Files of a tree, by their path with slashes, and their text. */
export type SourceTree = ReadonlyMap<string, string>;

/** One import that runs between two folders of a circle. */
interface Crossing {
  readonly from: string;
  readonly to: string;
}

/** Folders of one parent that import each other, directly or over others. */
export interface FolderCircle {
  /** Folder that all of them are in; empty for the root of the tree. */
  readonly parent: string;
  /** Names in it; `.` stands for the files that are in the parent itself. */
  readonly folders: readonly string[];
  /** One import for each pair of folders. */
  readonly crossings: readonly Crossing[];
}

const OWN_FILES = '.';

/**
 * Reads the TypeScript files of folders.
 *
 * @param base - folder that the paths start at
 * @param roots - folders in it
 * @returns every `.ts` file below them
 */
export function readSources(base: string, roots: readonly string[]): SourceTree {
  const paths = roots.flatMap((root) =>
    readdirSync(join(base, root), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => `${root}/${path}`),
  );
  return new Map(paths.map((path) => [path, readFileSync(join(base, path), 'utf8')]));
}

// `import('…')` as a type is no import to the pre-processor
function specifiersOf(text: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(text, true, true);
  const inTypes = [...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/gu)].map(([, specifier = '']) => specifier);
  return [...importedFiles.map(({ fileName }) => fileName), ...inTypes].filter((each) => each.startsWith('.'));
}

function importsOf(tree: SourceTree): readonly Crossing[] {
  return [...tree].flatMap(([from, text]) =>
    specifiersOf(text).flatMap((specifier) => {
      const path = normalize(join(dirname(from), specifier));
      const to = [path, `${path}.ts`, `${path}/index.ts`].find((each) => tree.has(each));
      return to === undefined ? [] : [{ from, to }];
    }),
  );
}

function foldersOf(tree: SourceTree): readonly string[] {
  const folders = new Set<string>(['']);
  for (const path of tree.keys()) {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  }
  return [...folders].toSorted();
}

type Graph = ReadonlyMap<string, ReadonlyMap<string, Crossing>>;

// A file stands for the child of the parent that it is in, however deep.
function graphOf(parent: string, imports: readonly Crossing[]): Graph {
  const prefix = parent === '' ? '' : `${parent}/`;
  const nodeOf = (path: string): string | undefined => {
    if (!path.startsWith(prefix)) return undefined;
    const [first = '', ...deeper] = path.slice(prefix.length).split('/');
    return deeper.length === 0 ? OWN_FILES : first;
  };
  const graph = new Map<string, Map<string, Crossing>>();
  for (const crossing of imports) {
    const [from, to] = [nodeOf(crossing.from), nodeOf(crossing.to)];
    if (from === undefined || to === undefined || from === to) continue;
    const targets = graph.get(from) ?? new Map<string, Crossing>();
    graph.set(from, targets);
    if (!targets.has(to)) targets.set(to, crossing);
  }
  return graph;
}

function reachableFrom(start: string, graph: Graph): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const next of graph.get(node)?.keys() ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(next);
    }
  }
  return found;
}

function circlesOf(parent: string, graph: Graph): readonly FolderCircle[] {
  const reach = new Map([...graph.keys()].map((node) => [node, reachableFrom(node, graph)]));
  const seen = new Set<string>();
  return [...graph.keys()].toSorted().flatMap((node) => {
    if (seen.has(node) || reach.get(node)?.has(node) !== true) return [];
    const folders = [...graph.keys()].filter(
      (other) => reach.get(node)?.has(other) === true && reach.get(other)?.has(node) === true,
    );
    for (const each of folders) seen.add(each);
    const crossings = folders.flatMap((from) =>
      [...(graph.get(from) ?? [])].filter(([to]) => folders.includes(to)).map(([, crossing]) => crossing),
    );
    return [{ parent, folders: folders.toSorted(), crossings }];
  });
}

/**
 * Finds folders that import each other in a circle, types included. It looks at each folder of the tree: its subfolders with
 * everything below them count as one each, and so do the files that are in the folder itself.
 *
 * @param tree - files with their text
 * @returns the circles, from the root down; empty where every folder can be read before those that import it
 */
export function folderCircles(tree: SourceTree): readonly FolderCircle[] {
  const imports = importsOf(tree);
  return foldersOf(tree).flatMap((parent) => circlesOf(parent, graphOf(parent, imports)));
}
