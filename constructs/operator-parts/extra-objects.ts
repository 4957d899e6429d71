import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import type { Refusal } from '../../operator/errors/outcome';
import { clusterScoped } from './names';

/** A manifest of any kind, as YAML would say it. */
export type Manifest = Readonly<Record<string, unknown>>;

interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

/** Objects of the user's own, installed and removed together with the operator. */
export class ExtraObjects extends Construct {
  /**
   * Declares the objects as they are; only the labels of the chart are added.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param manifests - objects with apiVersion, kind and metadata.name; others are refused by {@link extraObjectProblems}
   */
  constructor(scope: Construct, id: string, manifests: readonly Manifest[]) {
    super(scope, id);
    const known = new Map(manifests.map((manifest) => [idOf(identityOf(manifest)), manifest]));
    for (const [childId, manifest] of known) {
      const { apiVersion, kind } = identityOf(manifest);
      if (apiVersion === '' || kind === '') continue;
      const object = new ApiObject(this, childId, { ...manifest, apiVersion, kind });
      // the chart's namespace would be a guess: the kind may be cluster-scoped
      if (identityOf(manifest).namespace === '') clusterScoped(object);
    }
  }
}

/**
 * Checks objects of the user.
 *
 * @param manifests - as given to the operator
 * @returns objects that have no identity, and objects that are given twice
 */
export function extraObjectProblems(manifests: readonly Manifest[] = []): readonly Refusal[] {
  const seen = new Map<string, number>();
  return manifests.flatMap((manifest, i): Refusal[] => {
    const identity = identityOf(manifest);
    const field = `extraObjects[${String(i)}]`;
    const absent = (['apiVersion', 'kind', 'name'] as const).filter((key) => identity[key] === '');
    if (absent.length > 0) {
      const keys = absent.map((key) => (key === 'name' ? 'metadata.name' : key)).join(', ');
      return [refused(field, `${field}: the object has no ${keys}, which every object needs`)];
    }
    const id = idOf(identity);
    const first = seen.get(id);
    if (first === undefined) seen.set(id, i);
    return first === undefined
      ? []
      : [refused(field, `${field}: ${identity.kind} "${identity.name}" is extraObjects[${String(first)}] already`)];
  });
}

function refused(field: string, message: string): Refusal {
  return { code: 'settings/invalid', field, message };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function identityOf(manifest: Manifest): Identity {
  const metadata = (manifest['metadata'] ?? {}) as Manifest;
  const [apiVersion, kind] = [textOf(manifest['apiVersion']), textOf(manifest['kind'])];
  return { apiVersion, kind, name: textOf(metadata['name']), namespace: textOf(metadata['namespace']) };
}

// A slash would part the path of a construct. The version is left out: it is the same object in all of them.
function idOf({ apiVersion, kind, name, namespace }: Identity): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return [group, kind, namespace, name].join(':');
}
