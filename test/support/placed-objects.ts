import type { KubernetesObject, PlacedObject } from '../../constructs/validations/plugin';

/** Objects as a validation meets them. */
export const placed = (...objects: readonly object[]): readonly PlacedObject[] =>
  objects.map((object) => ({ object: object as KubernetesObject, manifestPath: 'app.k8s.yaml' }));
