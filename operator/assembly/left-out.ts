import { CLUSTER_IDENTITY_SECRET, excludedNamespaces } from '../contract/group';
import { begunPreset } from '../identity/namespace-preset';
import type { Settings } from '../settings/options';
import type { Environment } from './environment';

/**
 * Finds out whose Services are left alone by the name of their namespace.
 *
 * @param settings - preset and further names
 * @param environment - cluster, which tells how the installation began
 * @returns every name
 * @throws IpamError `cluster/unavailable`
 */
export async function leftOutNamespaces(
  settings: Pick<Settings, 'namespace' | 'namespacePreset' | 'excludedNamespaces'>,
  environment: Environment,
): Promise<readonly string[]> {
  const { namespacePreset: preset, excludedNamespaces: more, namespace } = settings;
  if (preset !== 'as-begun') return excludedNamespaces(preset, more);
  if (environment.kind === 'standalone') return excludedNamespaces('minimal', more);
  const secret = { namespace, name: CLUSTER_IDENTITY_SECRET };
  return excludedNamespaces(await begunPreset({ cluster: environment.cluster, secret }), more);
}
