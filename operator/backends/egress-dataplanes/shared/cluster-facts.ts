import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { crdName, type DataplaneKind, type EgressDataplaneName } from '../../../contract/egress-dataplanes';
import { conditionOf } from '../../../contract/stored-status';

/** What the cluster says about its dataplanes. */
export interface ClusterFacts {
  /** `status.networkType` of OpenShift; absent elsewhere. */
  readonly networkType?: string;
  /** `status.platformStatus.type` of OpenShift; absent elsewhere. */
  readonly platform?: string;
  /** CRDs that are installed, by their names. */
  readonly crds: ReadonlyMap<string, JsonMap>;
  readonly nodes: readonly JsonMap[];
  /** Data of the ConfigMaps of dataplanes; none for one without a ConfigMap. */
  readonly configs: ReadonlyMap<EgressDataplaneName, JsonMap>;
}

/**
 * Finds the schema by which the API server serves a kind.
 *
 * @param kind - of a dataplane
 * @param crds - of the cluster
 * @returns the schema; undefined where the kind is not served
 */
function servedSchema(kind: DataplaneKind, crds: ClusterFacts['crds']): JsonMap | undefined {
  const crd = crds.get(crdName(kind));
  if (crd === undefined || metadataOf(crd)['deletionTimestamp'] !== undefined) return undefined;
  if (conditionOf(mapOf(crd['status']), 'Established')?.['status'] !== 'True') return undefined;
  const versions = listOf(mapOf(crd['spec'])['versions']).filter(isMap);
  const version = versions.find(({ name, served }) => kind.apiVersion.endsWith(`/${textOf(name)}`) && served === true);
  return version && mapOf(mapOf(version['schema'])['openAPIV3Schema']);
}

/**
 * Tells whether the API server serves a kind.
 *
 * @param kind - of a dataplane
 * @param facts - of the cluster
 * @param facts.crds - its CRDs
 * @returns false where its CRD is missing, or not established yet
 */
export const isServed = (kind: DataplaneKind, { crds }: Pick<ClusterFacts, 'crds'>): boolean =>
  servedSchema(kind, crds) !== undefined;

/**
 * Finds a field in the schema of a kind.
 *
 * @param kind - of a dataplane
 * @param path - names from the root of the object
 * @param facts - of the cluster
 * @param facts.crds - its CRDs
 * @returns its schema; undefined where the kind has no such field, or is not served
 */
export function fieldOf(
  kind: DataplaneKind,
  path: readonly string[],
  { crds }: Pick<ClusterFacts, 'crds'>,
): JsonMap | undefined {
  let at: unknown = servedSchema(kind, crds);
  for (const name of path) at = mapOf(mapOf(at)['properties'])[name];
  return at === undefined ? undefined : mapOf(at);
}
