import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { documentsOf } from '../arguments/manifest-file';
import type { YamlPath } from './yaml-edit';

/** One text of a package: a file of a folder, or a ResourceList with all of them. */
export interface PackageText {
  /** From the top of the package, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** One object of a package, and where it stands. */
export interface PackageNode {
  /** Path of the text that holds it. */
  readonly text: string;
  readonly document: number;
  /** From the top of the document. */
  readonly at: YamlPath;
  /** Path of its file in the package, also where a ResourceList holds it; empty where that does not say. */
  readonly file: string;
  readonly object: JsonMap;
}

/** Content of a package. */
export interface PackageContents {
  readonly nodes: readonly PackageNode[];
  /** Why texts cannot be read; which objects they hold is not known. */
  readonly unreadable: readonly string[];
}

/** Kind of the list that KRM functions read and write. */
const RESOURCE_LIST = 'ResourceList';
const PATH_KEYS = ['config.kubernetes.io/path', 'internal.config.kubernetes.io/path'];

/**
 * Finds the objects of a package.
 *
 * @param texts - YAML
 * @returns every object with its place, in order; those of lists too
 */
export function contentsOf(texts: readonly PackageText[]): PackageContents {
  const nodes: PackageNode[] = [];
  const unreadable: string[] = [];
  for (const { path, text } of texts) {
    const documents = documentsOf(text, path);
    if (documents.ok) nodes.push(...documents.value.flatMap((each, index) => nodesIn(path, index, each)));
    else unreadable.push(documents.refusal.message);
  }
  return { nodes, unreadable };
}

function nodesIn(text: string, document: number, value: unknown): readonly PackageNode[] {
  if (!isMap(value)) return [];
  const isFunctionInput = value['kind'] === RESOURCE_LIST;
  if (!isFunctionInput && value['kind'] !== 'List') return [{ text, document, at: [], file: text, object: value }];
  return listOf(value['items']).flatMap((item, index) => {
    if (!isMap(item)) return [];
    return [{ text, document, at: ['items', index], file: isFunctionInput ? pathIn(item) : text, object: item }];
  });
}

function pathIn(object: JsonMap): string {
  const annotations = mapOf(metadataOf(object)['annotations']);
  return PATH_KEYS.map((key) => textOf(annotations[key])).find((path) => path !== '') ?? '';
}

/** States of a package revision in which it may not change. */
const PUBLISHED: readonly unknown[] = ['Published', 'DeletionProposed'];

/**
 * Tells whether a package says of itself that it was published.
 *
 * @param nodes - its objects
 * @returns true where a PackageRevision of Porch among them is published
 */
export function isPublished(nodes: readonly PackageNode[]): boolean {
  return nodes.some(({ object }) => {
    const isRevision =
      object['kind'] === 'PackageRevision' && textOf(object['apiVersion']).startsWith('porch.kpt.dev/');
    return isRevision && PUBLISHED.includes(mapOf(object['spec'])['lifecycle']);
  });
}
