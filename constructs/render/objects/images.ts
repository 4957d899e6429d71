import type { ApiManifest } from './ordered-objects';

function referencesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'image' && typeof inner === 'string' ? [inner] : referencesIn(inner),
  );
}

/**
 * Lists the images that Pods of objects are made of.
 *
 * @param objects - with the Pods in them
 * @returns each reference once, sorted
 */
export function imagesOf(objects: readonly ApiManifest[]): readonly string[] {
  return [...new Set(objects.flatMap((object) => referencesIn(object['spec'])))].toSorted();
}
