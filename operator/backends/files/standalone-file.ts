import { readFileSync, renameSync, writeFileSync } from 'node:fs';

import { IpamError } from '../../errors/ipam-error';
import type { NamespaceView, SecretView } from '../../ports/cluster';
import { isMap } from '../../contract/loose-json';

/** Identity that a standalone operator keeps of its simulated cluster; its shape is that of the memory cluster. */
export interface StandaloneIdentity {
  readonly clusterUid: string;
  readonly namespaces: readonly NamespaceView[];
  /** Secrets by `namespace/name`. */
  readonly secrets: Readonly<Record<string, SecretView>>;
}

/**
 * Reads what a standalone operator keeps of its simulated cluster.
 *
 * @param path - JSON file, written by {@link writeStandaloneFile}
 * @returns its content, undefined when there is no such file
 * @throws {@link IpamError} `settings/invalid` when the file cannot be read or holds anything else; a damaged identity would
 *   lose every owner
 */
export function readStandaloneFile(path: string): StandaloneIdentity | undefined {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, 'cannot be read', cause);
  }
  const fault = faultOf(content);
  if (fault !== undefined) throw unusable(path, `is damaged: ${fault}`);
  return content as StandaloneIdentity;
}

function unusable(path: string, fault: string, cause?: unknown): IpamError {
  return new IpamError(
    'settings/invalid',
    `the file "${path}" holds the identity of the standalone cluster and ${fault}; restore it, or remove it together with the store and its hash key`,
    { cause },
  );
}

// Names places only: the values are secrets.
function faultOf(content: unknown): string | undefined {
  if (!hasKeys(content, ['clusterUid', 'namespaces', 'secrets']))
    return 'it is no object with clusterUid, namespaces and secrets';
  const { clusterUid, namespaces, secrets } = content;
  if (!isText(clusterUid)) return 'clusterUid is no text';
  if (!Array.isArray(namespaces) || !namespaces.every(isNamespace))
    return 'namespaces is no list of objects with name, uid and labels';
  for (const key of ['name', 'uid'] as const) {
    if (new Set(namespaces.map((each) => each[key])).size < namespaces.length) return `two namespaces have one ${key}`;
  }
  const fine = isMap(secrets) && Object.entries(secrets).every(([name, secret]) => isName(name) && isSecret(secret));
  return fine ? undefined : 'secrets is no map from "namespace/name" to objects with type and data';
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isName = (name: string): boolean => /^[^/]+\/[^/]+$/u.test(name);

function hasKeys<K extends string>(value: unknown, keys: readonly K[]): value is Readonly<Record<K, unknown>> {
  return isMap(value) && Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key));
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isMap(value) && Object.values(value).every((text) => typeof text === 'string');
}

function isNamespace(value: unknown): value is NamespaceView {
  return hasKeys(value, ['name', 'uid', 'labels']) && isText(value.name) && isText(value.uid) && isTexts(value.labels);
}

function isSecret(value: unknown): value is SecretView {
  return hasKeys(value, ['type', 'data']) && typeof value.type === 'string' && isTexts(value.data);
}

/**
 * Writes the file as a whole or not at all; only its owner may read it, since it holds the default secret.
 *
 * @param path - JSON file
 * @param content - all of it
 */
export function writeStandaloneFile(path: string, content: StandaloneIdentity): void {
  const next = `${path}.next`;
  writeFileSync(next, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(next, path);
}
