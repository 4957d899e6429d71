import type { ApiManifest } from '../../constructs/render/objects/ordered-objects';

/** Read by the Kubernetes provider, which waits until all of it is true, and for nothing else. */
export const WAIT_FOR = 'pulumi.com/waitFor';
/** Read by the Kubernetes provider, which then waits for nothing. */
export const SKIP_AWAIT = 'pulumi.com/skipAwait';

/**
 * Finds the annotations of an object.
 *
 * @param object - any object
 * @returns its annotations, empty where it has none
 */
export function annotationsOf(object: ApiManifest): Readonly<Record<string, string>> {
  const { annotations } = object.metadata as { readonly annotations?: Readonly<Record<string, string>> };
  return annotations ?? {};
}

/**
 * Adds annotations to an object.
 *
 * @param object - any object, which stays as it is
 * @param more - what to add; it wins over what is there
 * @returns the object with them
 */
export function annotated(object: ApiManifest, more: Readonly<Record<string, string>>): ApiManifest {
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotationsOf(object), ...more } } };
}
