import { CLUSTER_IDENTITY_SECRET, excludedNamespaces, type NamespacePreset } from '../contract/group';
import { begunPreset } from '../identity/namespace-preset';
import type { Environment } from './environment';

/** Settings that leave out namespaces by their names. */
interface LeftOut {
  /** The operator's own, with the Secret that tells how the installation began. */
  readonly namespace: string;
  readonly namespacePreset: NamespacePreset;
  /** Further names. */
  readonly excludedNamespaces: readonly string[];
}

/**
 * Finds out whose Services are left alone by the name of their namespace.
 *
 * @param names - preset and further names
 * @param environment - cluster, which tells how the installation began
 * @returns every name
 * @throws IpamError `cluster/unavailable`
 */
export async function leftOutNamespaces(names: LeftOut, environment: Environment): Promise<readonly string[]> {
  const { namespacePreset: preset, excludedNamespaces: more, namespace } = names;
  if (preset !== 'as-begun') return excludedNamespaces(preset, more);
  if (environment.kind === 'standalone') return excludedNamespaces('minimal', more);
  const secret = { namespace, name: CLUSTER_IDENTITY_SECRET };
  return excludedNamespaces(await begunPreset({ cluster: environment.cluster, secret }), more);
}
