import { installation, NETWORKS_ALONE } from '../../constructs/render/installation/installation';
import { kustomizeBase, yamlFile } from '../../constructs/render/objects/kustomize';
import { orderedObjects, type ApiManifest } from '../../constructs/render/objects/ordered-objects';
import { isKept } from '../../constructs/objects/kept-annotations';

/** Folder of the package. */
export const KPT_PACKAGE = 'examples/kpt/ipam';

const DETACH = { 'client.lifecycle.config.k8s.io/deletion': 'detach' };

/** What Helm keeps, kpt keeps: an end of the installation ends no address. */
function kept(object: ApiManifest): ApiManifest {
  const { annotations = {} } = object.metadata as { readonly annotations?: Readonly<Record<string, string>> };
  return isKept(annotations)
    ? { ...object, metadata: { ...object.metadata, annotations: { ...annotations, ...DETACH } } }
    : object;
}

/** YAML files of the kpt package by path; its Kptfiles are written by hand. */
export function kptPackage(): readonly (readonly [path: string, text: string])[] {
  const objects = orderedObjects(installation(NETWORKS_ALONE)).map(kept);
  const of = (kind: string): readonly ApiManifest[] => objects.filter((object) => object.kind === kind);
  const crds = of('CustomResourceDefinition').map((object) => {
    const [plural = '', ...group] = object.metadata.name.split('.');
    return [`crd/bases/${group.join('.')}_${plural}.yaml`, yamlFile([object])] as const;
  });
  const rest = objects.filter(({ kind }) => !['CustomResourceDefinition', 'Namespace'].includes(kind));
  const { 'kustomization.yaml': _base, ...app } = kustomizeBase(rest);
  return [
    ['namespace.yaml', yamlFile(of('Namespace'))] as const,
    ...crds,
    ...Object.entries(app).map(([path, text]) => [`app/${path}`, text] as const),
  ].map(([path, text]) => [`${KPT_PACKAGE}/${path}`, text] as const);
}
