import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** One Kubernetes object as `cdk8s synth` wrote it. */
export interface Manifest {
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
}

/** Reads every object in the YAML files of a folder, in the order of the files. */
export function readManifests(folder: string): readonly Manifest[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort();
  return files.flatMap((name) => {
    const file = join(folder, name);
    return parseAllDocuments(readFileSync(file, 'utf8'))
      .map((document) => document.toJS() as Manifest | null)
      .filter((object) => object !== null)
      .map((object) => ({ ...object, file }));
  });
}

/** The zones document that the operator's ConfigMap mounts. */
export function zonesDocumentOf(manifests: readonly Manifest[]): string {
  const found = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'ipam-zones');
  const [text] = Object.values(found?.data ?? {});
  if (text === undefined)
    throw new RangeError('the synthesized manifests have no ConfigMap ipam-zones with a document');
  return text;
}

/** The Services that want an address. */
export function servicesOf(manifests: readonly Manifest[]): readonly Manifest[] {
  return manifests.filter(({ kind, spec }) => kind === 'Service' && spec?.['type'] === 'LoadBalancer');
}
