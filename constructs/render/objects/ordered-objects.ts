import { ApiObject, DependencyGraph, type Chart } from 'cdk8s';

import { isKept } from '../../objects/kept-annotations';
import { WEBHOOK_KINDS } from '../../objects/webhook-kinds';

/** A synthesized API object. */
export interface ApiManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string } & Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

// What everything else lives in comes first; what makes the API server call us comes last.
const FIRST = ['Namespace', 'CustomResourceDefinition'];

function rankOf({ kind }: ApiManifest): number {
  if (FIRST.includes(kind)) return FIRST.indexOf(kind) - FIRST.length;
  return WEBHOOK_KINDS.indexOf(kind) + 1;
}

/**
 * Synthesizes a chart in the order in which its objects are to be applied.
 *
 * @param chart - with everything in it; its validations run
 * @returns namespaces and definitions, then every object after those that it depends on, webhook configurations last
 */
export function orderedObjects(chart: Chart): readonly ApiManifest[] {
  return byRank(chart.toJson() as ApiManifest[]);
}

/**
 * Does the same without the validations of constructs, for charts whose values are not known yet.
 *
 * @param chart - with everything in it
 * @returns its objects in the same order
 */
export function unjudgedObjects(chart: Chart): readonly ApiManifest[] {
  const objects = new DependencyGraph(chart.node).topology().filter((each) => ApiObject.isApiObject(each));
  return byRank(objects.map((object) => object.toJson() as ApiManifest));
}

const byRank = (objects: readonly ApiManifest[]): readonly ApiManifest[] =>
  objects.toSorted((a, b) => rankOf(a) - rankOf(b));

/**
 * Lists what goes with an installation, for a tool that deletes whatever a file names.
 *
 * @param objects - in the order in which they are applied
 * @returns identities alone, the webhook configurations first, without what holds data or announces addresses
 */
export function goingObjects(objects: readonly ApiManifest[]): readonly ApiManifest[] {
  return objects
    .filter(({ metadata }) => !isKept(metadata['annotations'] as Readonly<Record<string, string>> | undefined))
    .map(({ apiVersion, kind, metadata: { name, namespace } }) => ({
      apiVersion,
      kind,
      metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    }))
    .toReversed();
}
