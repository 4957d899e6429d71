import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { isMap } from '../../operator/contract/loose-json';

/** One thing that is wrong, as the CLI of cdk8s shows it. */
export interface ReportedViolation {
  readonly ruleName: string;
  readonly recommendation: string;
  readonly fix: string;
  readonly violatingResources: readonly {
    readonly resourceName: string;
    readonly manifestPath: string;
    readonly locations: readonly string[];
  }[];
}

/** Context that the CLI of cdk8s hands to a validation; declared here, so that an app needs no types of the CLI. */
export interface ValidationContext {
  /** Paths of the files that were synthesized. */
  readonly manifests: readonly string[];
  /** Collects what is wrong; `submit` ends it. */
  readonly report: {
    addViolation(violation: ReportedViolation): void;
    submit(status: 'success' | 'failure', metadata: Readonly<Record<string, string>>): void;
  };
  /** Reads the objects of one file. */
  parseManifest(manifestPath: string): unknown[];
}

/**
 * A Kubernetes object of which nothing is known but that it is one.
 *
 * @jsii ignore
 */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** An object with the file that it stands in. */
export interface PlacedObject {
  readonly object: KubernetesObject;
  readonly manifestPath: string;
}

/** One rule and where it is broken. */
export interface Violation {
  /** Name of the rule, for example `webhook/timeout`. */
  readonly rule: string;
  readonly recommendation: string;
  readonly fix: string;
  readonly placed: PlacedObject;
  /** Fields at fault, with their values. */
  readonly locations: readonly string[];
}

/** Looks at all objects of an app at once. */
export type Check = (objects: readonly PlacedObject[]) => readonly Violation[];

function isObject(value: unknown): value is KubernetesObject {
  return isMap(value) && typeof value['kind'] === 'string' && isMap(value['metadata']);
}

/**
 * Takes the objects out of the documents of a file.
 *
 * @param documents - what the YAML reader returned; empty ones are skipped
 * @param manifestPath - the file
 * @returns every object, those of a List each for itself
 */
export function objectsIn(documents: readonly unknown[], manifestPath: string): readonly PlacedObject[] {
  return documents.flatMap((document) => {
    if (isMap(document) && typeof document['kind'] === 'string' && Array.isArray(document['items'])) {
      return objectsIn(document['items'] as readonly unknown[], manifestPath);
    }
    return isObject(document) ? [{ object: document, manifestPath }] : [];
  });
}

/** Written by cdk8s beside the manifests, for the construct paths of reports. */
const CONSTRUCT_METADATA = 'construct-metadata.json';

// The CLI has read the file before it runs the first validation, and leaves it where `kubectl apply -f dist/` would take it for
// a manifest. Manifests stand beside it or, one folder per chart, one level deeper.
function removeConstructMetadata(manifests: readonly string[], objects: readonly PlacedObject[]): void {
  const folders = new Set(manifests.flatMap((path) => [dirname(path), dirname(dirname(path))]));
  for (const folder of folders) {
    const path = join(folder, CONSTRUCT_METADATA);
    if (existsSync(path) && tellsOf(objects, readFileSync(path, 'utf8'))) rmSync(path);
  }
}

// A file of that name further up may be that of another program.
function tellsOf(objects: readonly PlacedObject[], json: string): boolean {
  const { resources } = JSON.parse(json) as { readonly resources?: unknown };
  return isMap(resources) && objects.some(({ object }) => Object.hasOwn(resources, object.metadata.name));
}

/**
 * Runs a check for the CLI of cdk8s and hands in the report. Afterwards the folder holds manifests only.
 *
 * @param context - from the CLI
 * @param name - of the validation
 * @param check - looks at every object of the app
 */
export function reportTo(context: ValidationContext, name: string, check: Check): void {
  const objects = context.manifests.flatMap((path) => objectsIn(context.parseManifest(path), path));
  const violations = check(objects);
  for (const { rule, recommendation, fix, placed, locations } of violations) {
    const { object, manifestPath } = placed;
    context.report.addViolation({
      ruleName: rule,
      recommendation,
      fix,
      // the CLI finds the path of the construct by this name
      violatingResources: [{ resourceName: object.metadata.name, manifestPath, locations }],
    });
  }
  // the report names the package only, which is the same for every validation of ours
  context.report.submit(violations.length === 0 ? 'success' : 'failure', { Validation: name });
  removeConstructMetadata(context.manifests, objects);
}
