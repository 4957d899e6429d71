import type { ApiManifest } from './ordered-objects';
import { jsonNode, yamlDocument } from './yaml';

/** Texts of files by their path inside of a folder. */
export type RenderedFiles = Readonly<Record<string, string>>;

/**
 * Names the file that holds the objects of a kind.
 *
 * @param kind - for example `ConfigMap` or `CustomResourceDefinition`
 * @returns for example `config-map.yaml`
 */
export function fileOfKind(kind: string): string {
  const words = kind.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3-$2$4');
  return `${words.toLowerCase()}.yaml`;
}

/**
 * Joins objects to one YAML file.
 *
 * @param objects - in the order in which they are to be applied
 * @returns documents with marks between them
 */
export function yamlFile(objects: readonly ApiManifest[]): string {
  return objects.map((object) => yamlDocument(jsonNode(object))).join('---\n');
}

/**
 * Writes a kustomize base.
 *
 * @param objects - in the order in which they are to be applied
 * @returns `kustomization.yaml` and one file per kind
 */
export function kustomizeBase(objects: readonly ApiManifest[]): RenderedFiles {
  const byFile = new Map<string, ApiManifest[]>();
  for (const object of objects) {
    const file = fileOfKind(object.kind);
    const group = [...(byFile.get(file) ?? []), object];
    // a file stands where its last object does: the policy that keeps objects comes after them
    byFile.delete(file);
    byFile.set(file, group);
  }
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [...byFile.keys()],
    // as listed: the namespace first, the webhook configurations last
    sortOptions: { order: 'fifo' },
  };
  const files = [...byFile].map(([file, group]) => [file, yamlFile(group)] as const);
  return { 'kustomization.yaml': yamlDocument(kustomization), ...Object.fromEntries(files) };
}
