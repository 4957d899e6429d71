import { IpamError } from '../errors/ipam-error';
import type { Environment as Variables } from '../cluster/api/service-account';
import type { Tools } from '../ports/tools';
import type { Settings } from '../settings/options';
import type { OpenedClaims } from './claims';
import {
  connectCluster,
  openClusterEnvironment,
  type ClusterEnvironmentSettings,
  type ClusterSettings,
} from './cluster';
import type { Connection, Environment } from './environment';
import { openStandaloneEnvironment, type StandaloneSettings } from './standalone';

export type { Variables };

/**
 * Connects to the cluster, or to none where the operator runs without one.
 *
 * @param settings - kubeconfig, or standalone
 * @param tools - clock, logger, meter
 * @param variables - of the process, which name the API server in a Pod
 * @returns the connection
 * @throws IpamError `settings/invalid` when the cluster cannot be used
 */
export async function connect(
  settings: ClusterSettings & Pick<Settings, 'standalone'>,
  tools: Tools,
  variables: Variables,
): Promise<Connection> {
  if (settings.standalone) return { kind: 'standalone', close: () => Promise.resolve() };
  return connectCluster(settings, tools, variables);
}

/**
 * Opens cluster, key and certificate.
 *
 * @param settings - store, key, certificate
 * @param connection - to the cluster, or none; closed with the environment
 * @param parts - claims and tools
 * @param parts.claims - as the zones left them
 * @param parts.tools - clock, logger, meter
 * @returns the environment of ledger and doors
 * @throws IpamError of key or certificate
 */
export async function openEnvironment(
  settings: ClusterEnvironmentSettings & StandaloneSettings,
  connection: Connection,
  parts: { readonly claims: OpenedClaims; readonly tools: Tools },
): Promise<Environment> {
  if (connection.kind === 'cluster') return openClusterEnvironment(settings, connection, parts);
  const { claims, tools } = parts;
  if (claims.kind === 'none')
    throw new IpamError('settings/invalid', 'value "objects" of --store needs a cluster, which has them');
  return openStandaloneEnvironment(settings, { claims, tools });
}
