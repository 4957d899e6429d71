import type { Refusal } from '../errors/outcome';
import type { Option } from './option';
import { invalidField } from './refusals';

/** Options of the Cluster API door; a part of `OPTIONS`. */
export const CLUSTER_API_OPTIONS = {
  clusterApi: {
    flag: '--cluster-api',
    env: 'IPAM_CLUSTER_API',
    type: 'switch',
    default: false,
    help: 'Serve IPAddressClaims of Cluster API that refer to an IPGroup (with --vips), a NetworkInstance or an IPPrefix (with --networks); needs one of both, and the kinds IPAddressClaim and IPAddress',
  },
} as const satisfies Record<string, Option>;

/** Settings that decide whether there are pools to refer to. */
interface ClusterApiSettings {
  readonly clusterApi: boolean;
  readonly vips: boolean;
  readonly networks: boolean;
}

/** Names of these settings as their author knows them: flags at start, props at synth. */
export type ClusterApiFields = Readonly<Record<'clusterApi' | 'vips' | 'networks', string>>;

/** Names at start. */
export const CLUSTER_API_FLAGS: ClusterApiFields = {
  clusterApi: '--cluster-api',
  vips: '--vips',
  networks: '--networks',
};

/**
 * Finds what stands against the Cluster API door: it gives addresses of the pools of other doors.
 *
 * @param settings - the switches
 * @param fields - names for the messages
 * @returns at most one problem, `settings/invalid`
 */
export function clusterApiProblems(
  { clusterApi, vips, networks }: ClusterApiSettings,
  fields: ClusterApiFields,
): readonly Refusal[] {
  if (!clusterApi || vips || networks) return [];
  const message = `has no pools to give addresses from; set ${fields.vips} or ${fields.networks}`;
  return [invalidField(fields.clusterApi, message)];
}
