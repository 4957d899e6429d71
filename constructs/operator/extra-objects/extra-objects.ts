import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import { METALLB_GROUP } from '../../../operator/contract/group';
import { listOf, mapOf, textOf } from '../../../operator/contract/loose-json';
import { clashesWithEarlierPools, registerPool } from '../../metallb/app-pools';
import { readPoolEntries } from '../../metallb/pool-entries';
import { clusterScoped } from '../../objects/names';
import { identityOf, keyOf } from '../../objects/object-identity';

/** A manifest of any kind, as YAML would say it. */
export type Manifest = Readonly<Record<string, unknown>>;

/** Props of {@link ExtraObjects}. */
interface ExtraObjectsProps {
  /** Those that the operator was given. */
  readonly all: readonly Manifest[];
  /** Those of them that are declared here. */
  readonly manifests: readonly Manifest[];
  readonly cluster: string | undefined;
}

/** Objects of the user's own, installed and removed together with the operator. */
export class ExtraObjects extends Construct {
  /**
   * Declares the objects as they are; only the labels of the chart are added.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - objects with apiVersion, kind and metadata.name; others are refused by `extraObjectProblems`
   * @param props.all - those that the operator was given
   * @param props.manifests - those of them that are declared here
   * @param props.cluster - of the operator
   */
  constructor(scope: Construct, id: string, { all, manifests, cluster }: ExtraObjectsProps) {
    super(scope, id);
    const fields = new Map(all.map((manifest, i) => [manifest, `extraObjects[${String(i)}]`]));
    const known = new Map(manifests.map((manifest) => [keyOf(identityOf(manifest)), manifest]));
    for (const [childId, manifest] of known) {
      const [apiVersion, { kind, namespace }] = [textOf(manifest['apiVersion']), identityOf(manifest)];
      if (apiVersion === '' || kind === '') continue;
      const object = new ApiObject(this, childId, { ...manifest, apiVersion, kind });
      declarePool(object, manifest, { field: fields.get(manifest) ?? '', cluster });
      // the chart's namespace would be a guess: the kind may be cluster-scoped
      if (namespace === '') clusterScoped(object);
    }
  }
}

// MetalLB drops all its pools where two overlap, of whatever origin
function declarePool(
  object: ApiObject,
  manifest: Manifest,
  { field, cluster }: { readonly field: string; readonly cluster: string | undefined },
): void {
  if (object.kind !== 'IPAddressPool' || object.apiGroup !== METALLB_GROUP) return;
  const { addresses } = mapOf(manifest['spec']);
  const { entries, problems } = readPoolEntries(listOf(addresses).map((each) => textOf(each)));
  const inObject = (text: string): string => text.replaceAll(/(?<=^|\()addresses/gu, `${field}.spec.addresses`);
  registerPool({
    construct: object,
    label: `pool "${object.name}"`,
    name: object.name,
    namespace: identityOf(manifest).namespace,
    entries: entries.map((entry) => ({ ...entry, field: inObject(entry.field) })),
    cluster,
  });
  object.node.addValidation({
    validate: () => [
      ...problems.map(({ message }) => inObject(message)),
      ...clashesWithEarlierPools(object).map(({ message }) => message),
    ],
  });
}
