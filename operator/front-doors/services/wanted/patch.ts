import type { PatchOperation } from '../../../contract/admission-review';
import { IPAM, METALLB } from '../../../contract/group';
import type { ServiceView } from '../../../contract/service';

/** New values of annotation keys; undefined takes a key of ours away. */
export type AnnotationChanges = ReadonlyMap<string, string | undefined>;

// made once, since every admitted Service gets a dozen of them
const KNOWN_PATHS: ReadonlyMap<string, string> = new Map(
  [...Object.values(IPAM), ...Object.values(METALLB)].map((key) => [key, pathOf(key)]),
);

/**
 * Builds the JSON Patch (RFC 6902) of annotation changes; keys that have the value already are left out.
 *
 * @param service - the object as it came
 * @param changes - wanted values
 * @returns the operations, all of them below `/metadata/annotations`; none when nothing changes
 */
export function annotationPatch(
  { hasAnnotations, annotations }: Pick<ServiceView, 'hasAnnotations' | 'annotations'>,
  changes: AnnotationChanges,
): readonly PatchOperation[] {
  const real = [...changes].filter(([key, value]) => annotations[key] !== value);
  if (real.length === 0) return [];
  if (!hasAnnotations) return [{ op: 'add', path: '/metadata/annotations', value: Object.fromEntries(real) }];
  return real.map(([key, value]): PatchOperation => {
    const path = KNOWN_PATHS.get(key) ?? pathOf(key);
    if (value === undefined) return { op: 'remove', path };
    return { op: Object.hasOwn(annotations, key) ? 'replace' : 'add', path, value };
  });
}

/**
 * Builds the one change of a spec that we make.
 *
 * @param policy - value for an empty `spec.ipFamilyPolicy`
 * @returns the operation
 */
export function policyPatch(policy: 'RequireDualStack'): PatchOperation {
  return { op: 'add', path: '/spec/ipFamilyPolicy', value: policy };
}

function pathOf(key: string): string {
  return `/metadata/annotations/${escapePointer(key)}`;
}

/**
 * Escapes one reference token of a JSON Pointer (RFC 6901 section 4).
 *
 * @param token - a key
 * @returns the token with `~` and `/` escaped
 */
export function escapePointer(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
