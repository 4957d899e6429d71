import { isMap, textOf } from '../../operator/contract/loose-json';

/** Identity of an object in a cluster. The version is no part of it: it is the same object in all of them. */
export interface ObjectIdentity {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

/**
 * Reads the identity of an object.
 *
 * @param manifest - of any kind
 * @returns empty texts where the manifest says nothing
 */
export function identityOf(manifest: object): ObjectIdentity {
  const { apiVersion, kind, metadata }: { apiVersion?: unknown; kind?: unknown; metadata?: unknown } = manifest;
  const { name, namespace } = (isMap(metadata) ? metadata : {}) as { name?: unknown; namespace?: unknown };
  const version = textOf(apiVersion);
  return {
    group: version.includes('/') ? version.slice(0, version.indexOf('/')) : '',
    kind: textOf(kind),
    name: textOf(name),
    namespace: textOf(namespace),
  };
}

/**
 * Writes an identity as a key, which may be the id of a construct: without a slash, which would part its path, and with one colon
 * between two parts, whatever is in them.
 *
 * @param identity - of an object
 * @returns equal texts for equal identities, and for no others
 */
export function keyOf({ group, kind, namespace, name }: ObjectIdentity): string {
  return `${escaped(group)}:${escaped(kind)}:${escaped(namespace)}:${escaped(name)}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '%': '%25', '/': '%2F', ':': '%3A' };

const SIGN = /[%/:]/u;

// names of the RBAC kinds have colons; hardly any other, and an app may have thousands of objects
function escaped(part: string): string {
  return SIGN.test(part) ? part.replaceAll(/[%/:]/gu, (sign) => ESCAPES[sign] ?? sign) : part;
}
